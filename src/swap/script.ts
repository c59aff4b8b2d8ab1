import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { OutputTail } from './outputTail.ts';
import { endGroup, tieGroup } from './processGroup.ts';

/** One call of the user's program. */
export interface ScriptCall {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly directory: string;
  /** Laid over Jano's own environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** How long the program may take to end after TERM before it gets KILL. */
  readonly graceMs: number;
  /** Whether the output matters even when all went well. */
  readonly isQuestion: boolean;
}

/** How a call ended. `interrupted`: Jano ended it. */
export type ScriptEnd =
  | (Exit & ScriptOutput)
  | { readonly kind: 'notStarted'; readonly why: string };

/** The last 64 KiB of each. */
export interface ScriptOutput {
  readonly stdout: string;
  readonly stderr: string;
}

type Exit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'interrupted' };

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** How long output is waited for after the exit: `exec 2> >(tee log)` of bash passes the last lines on late. */
const LAST_OUTPUT_MS = 100;

/** Runs the program in a process group of its own, without a terminal; ends the whole group when `limit` fires. Never rejects. */
export async function runScript(call: ScriptCall, limit: AbortSignal): Promise<ScriptEnd> {
  if (limit.aborted) return { kind: 'interrupted', stdout: '', stderr: '' };
  let child: Child;
  try {
    child = start(call);
    await once(child, 'spawn');
  } catch (error) {
    return { kind: 'notStarted', why: explainFailedStart(call, error) };
  }
  return follow(child, call, limit);
}

function start(call: ScriptCall): Child {
  return spawn(call.program, call.arguments, {
    cwd: call.directory,
    env: { ...process.env, ...call.environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function follow(child: Child, call: ScriptCall, limit: AbortSignal): Promise<ScriptEnd> {
  const stdout = new OutputTail(child.stdout);
  const stderr = new OutputTail(child.stderr);
  const closed = once(child, 'close');
  try {
    const exit = await waitForEnd(child, call.graceMs, limit);
    const isOver = exit.kind !== 'interrupted';
    if (isOver && (call.isQuestion || exit.kind === 'killed' || exit.code !== 0)) {
      await Promise.race([closed, pause(LAST_OUTPUT_MS, undefined, { ref: false })]);
    }
    return { ...exit, stdout: stdout.text, stderr: stderr.text };
  } finally {
    stdout.release();
    stderr.release();
    child.unref();
  }
}

/** Waits for the exit and brings it about when `limit` fires. Meanwhile Jano's own exit takes the whole group with it. */
async function waitForEnd(child: Child, graceMs: number, limit: AbortSignal): Promise<Exit> {
  const { pid } = child;
  if (pid === undefined) throw new Error('a process that was started has no number');
  const untie = tieGroup(pid);
  try {
    const exit = await waitForExit(child, limit);
    if (exit.kind === 'interrupted') await endGroup(pid, graceMs);
    return exit;
  } finally {
    untie();
  }
}

/** Waits for 'exit', not for 'close': that one comes when the last background process lets go of the pipes. */
async function waitForExit(child: Child, limit: AbortSignal): Promise<Exit> {
  const exited = Promise.withResolvers<Exit>();
  const interrupt = (): void => exited.resolve({ kind: 'interrupted' });
  limit.addEventListener('abort', interrupt);
  if (limit.aborted) interrupt();
  child.once('exit', (code, signal) => {
    exited.resolve(
      code === null ? { kind: 'killed', signal: `${signal}` } : { kind: 'exited', code },
    );
  });
  try {
    return await exited.promise;
  } finally {
    limit.removeEventListener('abort', interrupt);
  }
}

function explainFailedStart(call: ScriptCall, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `there is no ${call.program} in ${call.directory}, or the program in its first line (#!) does not exist`;
    case 'EACCES':
      return `${call.program} may not be run: make it executable with chmod +x`;
    default:
      return `${call.program} could not be started: ${error instanceof Error ? error.message : String(error)}`;
  }
}
