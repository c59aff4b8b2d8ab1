import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { configFrom } from '../config/assembly.ts';
import type { Config } from '../config/config.ts';
import { makeTinyModel } from '../examples/tiny/tinyModel.ts';
import { findFreePorts } from './freePorts.ts';

const run = promisify(execFile);
const SCRIPTS = join(import.meta.dirname, '../examples');

/** Model servers of our own to try Jano on: their config, and how to be rid of them. */
export interface Machine {
  readonly config: Config;
  readonly models: readonly string[];
  /** One line that says what these servers are. */
  readonly description: string;
  /** Stops the servers and removes their folder. */
  close(): Promise<void>;
  /** The same at once, for a process that ends. */
  closeNow(): void;
}

interface MachinePlan {
  readonly models: readonly string[];
  readonly description: string;
  readonly script: string;
  readonly environment: (
    folder: string,
    ports: ReadonlyMap<string, number>,
  ) => Record<string, string>;
}

/** Three example model servers, programs of Jano's own that only recite; none runs yet. */
export function openExampleMachine(): Promise<Machine> {
  return openMachine({
    models: ['chat', 'code', 'story'],
    description: 'three example model servers that recite a text, one in memory at a time',
    script: 'swap.sh',
    environment: (folder, ports) => ({
      JANO_EXAMPLE_MODELS: [...ports].map(([model, port]) => `${model}=${port}`).join(' '),
      JANO_EXAMPLE_STATE: folder,
      JANO_EXAMPLE_NODE: process.execPath,
      JANO_EXAMPLE_PARENT: String(process.pid),
      JANO_EXAMPLE_ARGS: '--load-ms 1500',
    }),
  });
}

/** Real llama-servers (`program`) with tiny models that are made on the spot; none runs yet. */
export async function openLlamaMachine(program: string): Promise<Machine> {
  const models = ['chat', 'code'] as const;
  const machine = await openMachine({
    models,
    description: `real llama-servers (${program}) with tiny models, one in memory at a time`,
    script: 'llama.sh',
    environment: (folder, ports) => ({
      LLAMA_SERVER: program,
      LLAMA_MODELS: models
        .map((model) => `${model} ${ports.get(model)} -m '${join(folder, `${model}.gguf`)}'`)
        .join('\n'),
      LLAMA_ARGS: '-t 1',
      LLAMA_STATE: folder,
    }),
  });
  const folder = machine.config.swap.directory;
  await Promise.all(
    models.map((model) =>
      writeFile(join(folder, `${model}.gguf`), makeTinyModel(model, { name: `tiny-${model}` })),
    ),
  );
  return machine;
}

async function openMachine(plan: MachinePlan): Promise<Machine> {
  const folder = await mkdtemp(join(tmpdir(), 'jano-'));
  const script = join(SCRIPTS, plan.script);
  const free = await findFreePorts(plan.models.length);
  const ports = new Map(plan.models.map((model, index) => [model, free[index] ?? 0]));
  const config = configFrom(
    {
      swap: { command: [script], timeout: '30s', poll: '100ms' },
      models: plan.models.map((name) => ({ name, url: `http://127.0.0.1:${ports.get(name)}` })),
    },
    folder,
  );
  const environment = plan.environment(folder, ports);
  const options = { env: { ...process.env, ...environment } };
  const tidyUp = async (): Promise<void> => {
    for (const model of plan.models) await run(script, ['unload', model], options);
    await rm(folder, { recursive: true, force: true });
  };
  let closing: Promise<void> | null = null;
  return {
    config: { ...config, swap: { ...config.swap, environment } },
    models: plan.models,
    description: plan.description,
    // Once: the script would make the folder anew that another close has just removed.
    close: () => (closing ??= tidyUp()),
    closeNow() {
      for (const model of plan.models) {
        execFileSync(script, ['unload', model], { ...options, stdio: 'ignore' });
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
