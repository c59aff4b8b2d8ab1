import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { findBirth } from '../../src/examples/processBirth.ts';
import { findFreePorts } from '../../src/cli/freePorts.ts';
import { createFolder } from '../support/folder.ts';
import { until } from './polling.ts';

/** A swap script with its models, all in a temporary folder; nothing is left of it after the test. */
export interface SwapRig {
  /** The script, as the config wants it. */
  readonly command: readonly [string];
  /** What the script needs in its environment beyond the usual. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where a model's server listens once it was started. */
  urlOf(model: string): string;
  /** Holds the script's files: NAME.pid and NAME.log. */
  readonly stateFolder: string;
  /** Runs the script as Jano does. */
  run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<ScriptEnd>;
  /** The process of a model's server, or null when it does not run. */
  findPid(model: string): Promise<number | null>;
  /** Kills all servers that the script started and removes the folder; done at the end of the test anyway. */
  stop(): Promise<void>;
}

/** How a run of the script ended. */
export interface ScriptEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where a rig has its things, before its environment is known. */
export interface SwapRigPlace {
  readonly folder: string;
  readonly ports: ReadonlyMap<string, number>;
}

/** A rig for any script of the contract that keeps NAME.pid files in the folder it is given. */
export async function openSwapRig(
  t: TestContext,
  script: string,
  models: readonly string[],
  makeEnvironment: (place: SwapRigPlace) => Promise<Readonly<Record<string, string>>>,
): Promise<SwapRig> {
  const folder = createFolder('rig');
  const free = await findFreePorts(models.length);
  const findPid = (model: string) => readPid(join(folder, `${model}.pid`));
  const stop = async () => {
    await Promise.all(models.map(async (model) => kill(await findPid(model))));
  };
  t.after(stop);
  const ports = new Map(models.map((model, index) => [model, free[index] ?? 0]));
  const environment = await makeEnvironment({ folder, ports });
  return {
    command: [script],
    environment,
    urlOf: (model) => `http://127.0.0.1:${ports.get(model)}`,
    stateFolder: folder,
    run: (args, more = {}) => runScript(script, args, { ...environment, ...more }),
    findPid,
    stop,
  };
}

async function runScript(
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<ScriptEnd> {
  const env = { ...process.env, ...environment };
  const child = spawn(script, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  await once(child, 'close');
  return { code: child.exitCode, stdout: await stdout, stderr: await stderr };
}

async function readPid(path: string): Promise<number | null> {
  const line = await readFile(path, 'utf8').catch(() => '');
  const pid = Number.parseInt(line, 10);
  const birth = line.trim().slice(`${pid} `.length);
  const now = Number.isNaN(pid) ? null : findBirth(pid);
  return now !== null && (now === birth || now === 'unknown') ? pid : null;
}

async function kill(pid: number | null): Promise<void> {
  if (pid === null) return;
  process.kill(pid, 'SIGKILL');
  await until(`process ${pid} ends`, () => findBirth(pid) === null);
}
