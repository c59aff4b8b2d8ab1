import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { TestContext } from 'node:test';

/** One example model server in a process of its own; it is killed at the end of the test. */
export interface ExampleServer {
  readonly url: string;
  readonly process: ChildProcess;
  /** Posts JSON and gives the answer, as it begins. */
  post(path: string, body: unknown, signal?: AbortSignal): Promise<Response>;
}

/** The program of the example model servers. */
export const PROGRAM = join(import.meta.dirname, '../../src/examples/modelServer.ts');

/** Starts one and waits until it listens, on a port of its own; it loads in no time and speaks fast, unless told otherwise. */
export async function startExampleServer(
  t: TestContext,
  ...args: readonly string[]
): Promise<ExampleServer> {
  const quick = ['--port', '0', '--load-ms', '0', '--words-per-second', '500'];
  const child = spawn(process.execPath, [PROGRAM, ...quick, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const url = /http:\S+/.exec(String(line))?.[0] ?? '';
  return {
    url,
    process: child,
    post: (path, body, signal) => {
      const headers = { 'Content-Type': 'application/json' };
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return fetch(url + path, { method: 'POST', headers, body: text, signal: signal ?? null });
    },
  };
}
