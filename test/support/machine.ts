import { readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** One box whose memory holds one model, with a real swap script; what the models answer is the test's. */
export interface FakeMachine {
  /** For the config: one entry per model. */
  readonly models: readonly { readonly name: string; readonly url: string }[];
  readonly command: string;
  /** The models that the script was called for, in order. */
  swaps(): string[];
  /** The model that is in memory, or '' for none. */
  resident(): string;
  /** As if somebody had loaded it by hand, or its server had died (''). */
  setResident(model: string): void;
}

export type ModelAnswer = (model: string, ...args: Parameters<RequestListener>) => void;

/**
 * Starts it with `resident` in memory. A model that is not in memory answers 503, as llama-server does
 * while it loads. `script` is shell text that runs before the model is made resident.
 */
export async function startMachine(
  t: TestContext,
  names: readonly string[],
  answer: ModelAnswer,
  { resident = '', script = '' } = {},
): Promise<FakeMachine> {
  const folder = await mkdtemp(join(tmpdir(), 'jano-machine-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [current, log, command] = ['current', 'swaps', 'swap.sh'].map((name) => join(folder, name));
  if (current === undefined || log === undefined || command === undefined) throw new Error('names');
  writeFileSync(current, resident);
  writeFileSync(log, '');
  const isCall = 'case "$1" in status) exit 1 ;; unload) printf "" > current; exit 0 ;; esac';
  const load = 'echo "$1" >> swaps; printf "%s" "$1" > current';
  await writeFile(command, `#!/bin/sh\ncd '${folder}'\n${isCall}\n${script}\n${load}\n`);
  await chmod(command, 0o755);
  const read = (): string => readFileSync(current, 'utf8');
  const models = await Promise.all(
    names.map(async (name) => {
      const isIn = (): boolean => read() === name;
      return { name, url: await startModel(t, isIn, (req, res) => answer(name, req, res)) };
    }),
  );
  return {
    models,
    command,
    swaps: () => readFileSync(log, 'utf8').split('\n').filter(Boolean),
    resident: read,
    setResident: (model) => writeFileSync(current, model),
  };
}

async function startModel(
  t: TestContext,
  isResident: () => boolean,
  answer: RequestListener,
): Promise<string> {
  const server = createServer((req, res) => {
    if (!isResident()) {
      res.statusCode = 503;
      return void res.end('{"error":{"message":"Loading model","code":503}}');
    }
    if (req.url === '/health') return void res.end('{"status":"ok"}');
    if (req.url === '/props') return void res.end('{"total_slots":4}');
    return answer(req, res);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return `http://127.0.0.1:${address.port}`;
}
