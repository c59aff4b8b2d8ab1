import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { TestContext } from 'node:test';

/** The number of a process that runs and, once it was killed, is not reaped before the end of the test. */
export async function startUnreapedProcess(t: TestContext): Promise<number> {
  // tail is no shell: it never asks how the child that it was given ended.
  const script = 'sleep 1000 & echo $!; exec tail -f /dev/null';
  const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: parent.stdout }), 'line');
  const pid = Number(line);
  t.after(() => {
    process.kill(pid, 'SIGKILL');
    parent.kill('SIGKILL');
  });
  return pid;
}
