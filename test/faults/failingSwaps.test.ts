import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJanoOn } from '../llama/rigJano.ts';
import { stream } from '../llama/streaming.ts';
import { ask, askAll, goodReply } from '../machine/asking.ts';
import { answerAtOnce } from '../machine/heldAnswers.ts';
import { openMachineRig } from '../machine/machineRig.ts';
import { readStatus, untilStatus } from '../machine/statusView.ts';
import { openExampleRig } from '../rig/exampleRig.ts';
import { until } from '../rig/polling.ts';
import { assertRecorded } from '../support/aftermath.ts';

test('swap-04: a script that hangs no longer holds the whole queue, but is ended with all it started', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    script: '[ "$1" = a ] || sleep 1000',
    swap: { timeout: '3s' },
  });

  const [a, b] = await askAll(jano, ['a', 'b']);

  assert.deepEqual(a, goodReply('a'));
  assert.equal(b?.status, 503);
  assert.match(b.text, /swap of "b" timed out after 3000 ms: .* was still running and was ended/);
  assert.equal(machine.swaps().filter((model) => model === 'b').length, 1);
  const status = await readStatus(jano);
  assert.deepEqual([status.swapsTotal, status.swapFailuresTotal, status.swap], [1, 1, null]);
  await assertRecorded(jano, ['200 served', '503 rejected']);
});

test('swap-04: a script that leaves a server holding its stdout no longer counts as running', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], {
    script: 'sleep 1000 & echo $! > server',
  });

  const reply = await ask(jano, 'a');
  const server = Number(machine.read('server'));
  t.after(() => process.kill(server, 'SIGKILL'));

  assert.deepEqual(reply, goodReply('a'));
  await assertRecorded(
    jano,
    Array.from({ length: 1 }, () => '200 served'),
  );
});

test('swap-05: a model that comes up late no longer stays refused until a restart', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['b'], {
    script: 'exit 0',
    swap: { timeout: '1s' },
  });

  const early = ask(jano, 'b');
  const { waiting } = await untilStatus(jano, 'readiness', ({ swap }) => swap?.phase === 'ready');
  const refused = await early;
  machine.setResidents('b');
  const reply = await ask(jano, 'b');

  assert.match(waiting[0]?.why ?? '', /^"b" is being loaded, for 0\.\d s so far$/);
  assert.match(refused.text, /swap of "b" timed out after 1000 ms: .*\/health: connection reset/);
  assert.deepEqual(reply, goodReply('b'));
  assert.deepEqual(machine.swaps(), ['b']);
  assert.equal((await readStatus(jano)).backendHealth['b'], 'up');
  await assertRecorded(jano, ['503 rejected', '200 served']);
});

test('swap-05: a server that says 503 Loading for longer than the limit no longer needs a restart of Jano', async (t) => {
  const rig = await openExampleRig(t, ['chat'], '--load-ms 2500 --words-per-second 500');
  const jano = await startJanoOn(t, rig, ['chat'], null, { swap: { timeout: '1s' } });

  const early = await ask(jano, 'chat');
  const down = await readStatus(jano);
  await until('it is served', async () => (await ask(jano, 'chat')).status === 200);

  assert.equal(early.status, 503);
  assert.match(early.text, /swap of "chat" timed out after 1000 ms: /);
  const up = await readStatus(jano);
  assert.deepEqual([down.backendHealth['chat'], up.backendHealth['chat']], ['down', 'up']);
});

test('swap-06: a model that died no longer gets every request at its dead port, but is loaded again', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], { resident: ['a'] });
  machine.kill('a');

  const first = await ask(jano, 'a');
  const second = await ask(jano, 'a');

  assert.equal(first.status, 502);
  assert.match(first.text, /^the backend of "a" failed before it answered: /);
  assert.deepEqual(second, goodReply('a'));
  assert.deepEqual(machine.swaps(), ['a']);
  await assertRecorded(jano, ['502 failed', '200 served']);
});

test('swap-06: a server that is killed after its swap is started again for the next request', async (t) => {
  const rig = await openExampleRig(t, ['chat']);
  const jano = await startJanoOn(t, rig, ['chat']);
  await stream(jano, 'chat');
  const pid = await rig.findPid('chat');
  if (pid === null) throw new Error('the server does not run');
  process.kill(pid, 'SIGKILL');
  await until('it is gone', async () => (await rig.findPid('chat')) === null);

  const met = await ask(jano, 'chat');
  const { swapsTotal } = await readStatus(jano);
  await stream(jano, 'chat');

  assert.equal(met.status, 502);
  // Reset where its main thread has gone, and the others with its port have not yet.
  assert.match(
    met.text,
    /^the backend of "chat" failed before it answered: connection re(?:fused|set)/,
  );
  assert.equal(swapsTotal, 1);
  assert.equal((await readStatus(jano)).swapsTotal, 2);
  await assertRecorded(jano, ['200 served', '502 failed', '200 served']);
});

test('swap-06: a server that dies of its first request no longer takes those behind it along', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], {
    answer: (model, req, res) => {
      if (machine.swaps().length === 1) return machine.kill(model);
      answerAtOnce(model, req, res);
    },
  });

  const replies = [];
  for (let count = 0; count < 3; count += 1) replies.push(await ask(jano, 'a'));

  assert.deepEqual(replies.slice(1), [goodReply('a'), goodReply('a')]);
  assert.equal(replies[0]?.status, 502);
  assert.deepEqual(machine.swaps(), ['a', 'a']);
  await assertRecorded(jano, ['502 failed', '200 served', '200 served']);
});
