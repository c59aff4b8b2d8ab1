import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findBirth } from '../../src/examples/processBirth.ts';
import { openExampleRig } from '../rig/exampleRig.ts';
import { askStatus, until, untilHealthy } from '../rig/polling.ts';
import { startUnreapedProcess } from '../rig/unreapedProcess.ts';

const DONE = { code: 0, stdout: '', stderr: '' };

test('the script starts a model and does not wait until it can serve', async (t) => {
  const rig = await openExampleRig(t, ['chat'], '--load-ms 1000000000');

  const end = await rig.run(['chat']);

  assert.deepEqual(end, DONE);
  await until('it answers', async () => (await askStatus(`${rig.urlOf('chat')}/health`)) === 503);
});

test('starting one model stops the other', async (t) => {
  const rig = await openExampleRig(t, ['chat', 'code']);
  await rig.run(['chat']);
  await untilHealthy(rig.urlOf('chat'));

  const end = await rig.run(['code']);

  assert.deepEqual(end, DONE);
  await untilHealthy(rig.urlOf('code'));
  assert.equal(await askStatus(`${rig.urlOf('chat')}/health`), null);
});

test('status names the models whose servers run', async (t) => {
  const rig = await openExampleRig(t, ['chat', 'code', 'other']);

  const before = await rig.run(['status']);
  await rig.run(['chat']);
  await rig.run(['code'], { JANO_FROM: '' });
  const after = await rig.run(['status']);

  assert.deepEqual(before, DONE);
  assert.deepEqual(after, { ...DONE, stdout: 'chat: loaded\ncode: loaded\n' });
});

test('only the models that have to make room are stopped, when they are named', async (t) => {
  const rig = await openExampleRig(t, ['a', 'b', 'c', 'd']);
  for (const model of ['a', 'b', 'c']) await rig.run([model], { JANO_FROM: '' });

  await rig.run(['d'], { JANO_FROM: 'a c' });

  const status = await rig.run(['status']);
  assert.equal(status.stdout, 'b: loaded\nd: loaded\n');
});

test('a model that is loaded already is left alone', async (t) => {
  const rig = await openExampleRig(t, ['chat', 'code']);
  await rig.run(['chat']);
  const pid = await rig.findPid('chat');

  const end = await rig.run(['chat']);

  assert.deepEqual(end, DONE);
  assert.notEqual(pid, null);
  assert.equal(await rig.findPid('chat'), pid);
});

test('a model that has to make room for itself is started again', async (t) => {
  const rig = await openExampleRig(t, ['chat']);
  await rig.run(['chat']);
  const pid = await rig.findPid('chat');

  await rig.run(['chat'], { JANO_FROM: 'chat' });

  assert.notEqual(await rig.findPid('chat'), pid);
  await untilHealthy(rig.urlOf('chat'));
});

test('unload stops a model, and is content when it is stopped already', async (t) => {
  const rig = await openExampleRig(t, ['chat']);
  await rig.run(['chat']);

  const first = await rig.run(['unload', 'chat']);
  const second = await rig.run(['unload', 'chat']);

  assert.deepEqual([first, second], [DONE, DONE]);
  assert.equal(await rig.findPid('chat'), null);
});

test('an unknown model fails, says which there are, and stops nothing', async (t) => {
  const rig = await openExampleRig(t, ['chat', 'code']);
  await rig.run(['chat']);

  const end = await rig.run(['nope']);

  assert.notEqual(end.code, 0);
  assert.match(end.stderr, /unknown model "nope"; there are: chat code/);
  assert.notEqual(await rig.findPid('chat'), null);
});

test('a server that does not start fails the swap with its own words', async (t) => {
  const rig = await openExampleRig(t, ['chat']);
  const broken = join(rig.stateFolder, 'broken');
  await writeFile(broken, '#!/bin/sh\necho "out of memory" >&2\nexit 1\n', { mode: 0o755 });

  const end = await rig.run(['chat'], { JANO_EXAMPLE_NODE: broken });

  assert.notEqual(end.code, 0);
  assert.match(end.stderr, /chat did not start: out of memory/);
});

test('a server that does not end when told is killed', async (t) => {
  const rig = await openExampleRig(t, ['chat']);
  const stubborn = join(rig.stateFolder, 'stubborn');
  await writeFile(stubborn, "#!/bin/sh\ntrap '' TERM\nexec sleep 1000\n", { mode: 0o755 });
  await rig.run(['chat'], { JANO_EXAMPLE_NODE: stubborn });
  assert.notEqual(await rig.findPid('chat'), null);

  const end = await rig.run(['unload', 'chat']);

  assert.deepEqual(end, DONE);
  assert.equal(await rig.findPid('chat'), null);
});

test('a process that got the number of a server long gone is not touched', async (t) => {
  const rig = await openExampleRig(t, ['chat']);
  const birth = findBirth(process.pid);
  await writeFile(join(rig.stateFolder, 'chat.pid'), `${process.pid} 1\n`);

  const status = await rig.run(['status']);
  const unload = await rig.run(['unload', 'chat']);

  assert.deepEqual([status, unload], [DONE, DONE]);
  assert.equal(findBirth(process.pid), birth);
});

test('a server that is dead but not reaped does not count as loaded', async (t) => {
  const rig = await openExampleRig(t, ['chat']);
  const pid = await startUnreapedProcess(t);
  await writeFile(join(rig.stateFolder, 'chat.pid'), `${pid} ${findBirth(pid)}\n`);
  const before = await rig.run(['status']);

  process.kill(pid, 'SIGKILL');
  await until('it is dead', () => findBirth(pid) === null);
  const after = await rig.run(['status']);

  assert.equal(before.stdout, 'chat: loaded\n');
  assert.equal(after.stdout, '');
});
