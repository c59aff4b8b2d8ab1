import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { findBirth } from '../../src/examples/processBirth.ts';
import { startExampleServer } from '../rig/exampleServer.ts';
import { until } from '../rig/polling.ts';
import { startUnreapedProcess } from '../rig/unreapedProcess.ts';

test('a server ends itself when its parent was killed', async (t) => {
  const parent = spawn('sleep', ['1000']);
  t.after(() => parent.kill('SIGKILL'));
  await once(parent, 'spawn');
  const server = await startExampleServer(t, '--parent', String(parent.pid));

  parent.kill('SIGKILL');

  await until('the server ends', () => server.process.exitCode === 0);
});

test('a server whose parent lives goes on', async (t) => {
  const server = await startExampleServer(t, '--parent', String(process.pid));

  const health = await fetch(`${server.url}/health`);

  assert.equal(health.status, 200);
});

test('a process has the same birth each time, and another process has another', async () => {
  const own = findBirth(process.pid);

  assert.notEqual(own, null);
  assert.equal(findBirth(process.pid), own);
});

const skip = existsSync('/proc/self/stat') ? false : 'needs /proc';

test('a process that is dead but not reaped does not run', { skip }, async (t) => {
  const pid = await startUnreapedProcess(t);
  assert.notEqual(findBirth(pid), null);

  process.kill(pid, 'SIGKILL');

  await until('it is dead', () => findBirth(pid) === null);
  assert.ok(existsSync(`/proc/${pid}`));
});
