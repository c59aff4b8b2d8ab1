import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, type TestContext } from 'node:test';

/** Whether a process runs; one that ended and was not reaped yet does not. */
export function isAlive(processId: number): boolean {
  const state = readStat(processId)?.state;
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** Ends a process that a script left behind, with the test. */
export function endWithTest(t: TestContext, processId: number): void {
  t.after(() => {
    if (isAlive(processId)) process.kill(processId, 'SIGKILL');
  });
}

/** Fails the file when a child of the test process is left, dead or alive. */
export function leaveNoChildren(): void {
  after(() => {
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((name) => readStat(Number(name))?.parent === process.pid);
    assert.deepEqual(children, []);
  });
}

function readStat(processId: number): { state: string; parent: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
