import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { TestContext } from 'node:test';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Jano as a process of its own, in an empty folder that is also its home and its place for temporary files. */
export interface Program {
  readonly pid: number;
  readonly folder: string;
  readonly ended: Promise<Ending>;
  /** What it has written to both of its outputs. */
  output(): string;
  /** Resolves when it has written a match; rejects when it ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts `jano ...args` in `folder`. It is killed with the test. */
export function startProgram(
  t: TestContext,
  folder: string,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Program {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TMPDIR: folder,
      JANO_PORT: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  const { promise: ended, resolve: end } = Promise.withResolvers<Ending>();
  child.once('close', (code, signal) => end({ code, signal }));
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  }
  return {
    pid: child.pid ?? 0,
    folder,
    ended,
    output: () => output,
    until(pattern) {
      const { promise, resolve: found, reject } = Promise.withResolvers<RegExpExecArray>();
      const look = (): void => {
        const match = pattern.exec(output);
        if (match !== null) found(match);
      };
      for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
      void ended.then(() => reject(new Error(`it ended without ${String(pattern)}: ${output}`)));
      look();
      return promise;
    },
  };
}
