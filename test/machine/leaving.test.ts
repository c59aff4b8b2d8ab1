import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, goodReply } from './asking.ts';
import { HeldAnswers } from './heldAnswers.ts';
import { openMachineRig } from './machineRig.ts';
import { untilStatus, untilWaiting } from './statusView.ts';

test('a load that nobody waits for any more goes on to its end, and nothing is sent', async (t) => {
  const held = new HeldAnswers();
  const { machine, jano } = await openMachineRig(t, ['a'], { answer: held.answer, isGated: true });
  const caller = new AbortController();

  const leaving = assert.rejects(ask(jano, 'a', { signal: caller.signal }));
  await untilStatus(jano, 'the load runs', ({ swap }) => swap !== null);
  caller.abort();
  await leaving;
  const loading = await untilWaiting(jano, 0);
  await machine.go();
  const loaded = await untilStatus(jano, 'it is loaded', ({ swap }) => swap === null);

  assert.equal(loading.swap?.to, 'a');
  assert.deepEqual([loaded.currentModel, loaded.inFlight], ['a', 0]);
  assert.equal(held.count, 0);
});

test('those behind a caller that left are served in its place', async (t) => {
  const held = new HeldAnswers();
  const { jano } = await openMachineRig(t, ['a'], {
    answer: held.answer,
    resident: ['a'],
    models: { a: { parallel: 1 } },
  });
  const caller = new AbortController();

  const running = ask(jano, 'a', { caller: 'first' });
  const answer = await held.next();
  const leaving = assert.rejects(ask(jano, 'a', { caller: 'second', signal: caller.signal }));
  await untilWaiting(jano, 1);
  const patient = ask(jano, 'a', { caller: 'third' });
  await untilWaiting(jano, 2);
  caller.abort();
  await leaving;
  const { waiting } = await untilWaiting(jano, 1);
  answer.end();
  const next = await held.next();
  next.end();

  assert.deepEqual([waiting[0]?.caller, waiting[0]?.position], ['third', 1]);
  assert.equal(next.caller, 'third');
  assert.deepEqual(await Promise.all([running, patient]), ['a', 'a'].map(goodReply));
});

test('a caller that leaves mid-answer frees its slot, and its model hears of it', async (t) => {
  const held = new HeldAnswers();
  const { jano } = await openMachineRig(t, ['a'], {
    answer: held.answer,
    resident: ['a'],
    models: { a: { parallel: 1 } },
  });
  const caller = new AbortController();

  const leaving = assert.rejects(ask(jano, 'a', { signal: caller.signal }));
  const answer = await held.next();
  answer.begin();
  const patient = ask(jano, 'a');
  await untilWaiting(jano, 1);
  caller.abort();
  await Promise.all([leaving, answer.closed]);
  await held.endNext(1);

  assert.deepEqual(await patient, goodReply('a'));
});

test('forty callers that leave at once leave nothing behind', async (t) => {
  const held = new HeldAnswers();
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    answer: held.answer,
    resident: ['a'],
  });
  const callers = new AbortController();

  const { signal } = callers;
  const leaving = Array.from({ length: 40 }, (_, index) =>
    assert.rejects(ask(jano, index % 2 === 0 ? 'a' : 'b', { signal })),
  );
  await held.take(4);
  await untilWaiting(jano, 36);
  callers.abort();
  await Promise.all(leaving);
  const isQuiet = await untilStatus(
    jano,
    'nothing is left',
    ({ queueDepth, inFlight, running }) => queueDepth + inFlight + running.length === 0,
  );

  assert.deepEqual(isQuiet.waiting, []);
  assert.ok(machine.swaps().length <= 1);
  await Promise.all([ask(jano, 'a'), held.endNext(1)]);
});

test('a failed load that nobody waits for any more is not tried again', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], { script: 'exit 1', isGated: true });
  const caller = new AbortController();

  const leaving = assert.rejects(ask(jano, 'a', { signal: caller.signal }));
  await untilStatus(jano, 'the load runs', ({ swap }) => swap !== null);
  caller.abort();
  await leaving;
  await untilWaiting(jano, 0);
  await machine.go();
  const failed = await untilStatus(jano, 'it failed', (now) => now.swapFailuresTotal === 1);

  assert.equal(failed.swap, null);
  assert.deepEqual(machine.swaps(), ['a']);
});
