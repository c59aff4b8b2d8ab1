import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { askStatus, until } from '../rig/polling.ts';

/** How to start a program that serves until it is ended. */
export interface DaemonPlan {
  readonly path: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Answers 200 once it serves. */
  readonly healthUrl: string;
}

/** A program in a process of its own, which can be killed and started again. */
export interface Daemon {
  /** What it has written since it was first started. */
  output(): string;
  /** Resolves once it is gone; it had no time for last words. */
  kill(): Promise<void>;
  /** Starts it again as before and resolves once it serves. */
  restart(): Promise<void>;
}

/** What starts may take a connection and forget it. */
const ANSWER_MS = 1000;

/** Of what it said, in characters, where it does not start. */
const MOST_SAID = 2000;

/** Starts one and waits until it serves; it ends with the test. */
export async function startDaemon(t: TestContext, plan: DaemonPlan): Promise<Daemon> {
  let output = '';
  const start = async (): Promise<ChildProcess> => {
    const { PATH = '' } = process.env;
    const started = spawn(plan.path, plan.args, {
      env: { PATH, ...plan.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.after(() => started.kill('SIGKILL'));
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    await until(`${plan.path} serves`, async () => {
      if (hasEnded(started)) throw new Error(`${plan.path} has ended`);
      return (await askStatus(plan.healthUrl, ANSWER_MS)) === 200;
    }).catch((cause: unknown) => {
      throw new Error(`${plan.path} does not serve: ${output.slice(-MOST_SAID)}`, { cause });
    });
    return started;
  };
  let child = await start();
  return {
    output: () => output,
    async kill() {
      child.kill('SIGKILL');
      if (!hasEnded(child)) await once(child, 'exit');
    },
    async restart() {
      child = await start();
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
