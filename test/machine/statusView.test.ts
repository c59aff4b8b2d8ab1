import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../rig/polling.ts';
import { WAIT_FOR_GO } from '../support/machine.ts';
import { ask } from './asking.ts';
import { HeldAnswers } from './heldAnswers.ts';
import { openMachineRig } from './machineRig.ts';
import { readStatus, untilStatus, untilWaiting } from './statusView.ts';

test('a swap is shown with its cause while the script runs, and those who wait with their reason', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], { resident: ['a'], isGated: true });

  const reply = ask(jano, 'b', { caller: 'me' });
  const status = await untilStatus(jano, 'the swap', ({ swap }) => swap !== null);
  await machine.go();
  await reply;

  const [waiting] = status.waiting;
  assert.deepEqual(
    { ...status.swap, elapsedMs: 0 },
    {
      id: 1,
      from: ['a'],
      to: 'b',
      cause: { request_id: waiting?.id, caller: 'me', why: '"a" has nothing left to do' },
      phase: 'script',
      startedAt: status.swap?.startedAt,
      elapsedMs: 0,
      expectedMs: null,
    },
  );
  assert.deepEqual(
    [waiting?.model, waiting?.caller, waiting?.position, waiting?.expectedMs],
    ['b', 'me', 1, null],
  );
  assert.match(waiting?.why ?? '', /^"b" is being loaded, for \d+\.\d s so far$/);
  assert.deepEqual([status.currentModel, status.loadedModels], [null, []]);
  assert.deepEqual([status.queueDepth, status.queueByModel], [1, { a: 0, b: 1 }]);
});

test('once a swap to a model was measured, the next one is expected to take as long', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], { isGated: true });
  for (const model of ['a', 'b']) {
    await machine.go();
    await ask(jano, model);
  }

  const reply = ask(jano, 'a');
  const { swap, waiting } = await untilStatus(jano, 'the swap', (status) => status.swap !== null);
  await machine.go();
  await reply;

  assert.ok(swap?.expectedMs !== null && swap !== null && swap.expectedMs > 0);
  const [{ expectedMs: leftMs } = { expectedMs: NaN }] = waiting;
  // A load that takes longer than that, as on a busy machine, tells nothing of its end.
  const isLate = swap.elapsedMs + 1 >= swap.expectedMs;
  assert.ok(leftMs === null ? isLate : leftMs <= swap.expectedMs, `${leftMs}`);
});

test('those who wait are listed in the order in which they would run', async (t) => {
  const held = new HeldAnswers();
  const { jano } = await openMachineRig(t, ['a', 'b', 'c'], {
    answer: held.answer,
    resident: ['a'],
    models: { a: { parallel: 1 } },
  });

  const replies = [ask(jano, 'a')];
  const running = await held.next();
  for (const [index, model] of ['c', 'b', 'b', 'a'].entries()) {
    replies.push(ask(jano, model));
    await untilWaiting(jano, index + 1);
  }
  const { waiting } = await readStatus(jano);
  running.end();
  const order = await held.endNext(4);
  await Promise.all(replies);

  assert.deepEqual(
    waiting.map(({ model, position }) => [model, position]),
    [
      ['a', 1],
      ['b', 2],
      ['b', 3],
      ['c', 4],
    ],
  );
  assert.deepEqual(
    order.map(({ model }) => model),
    ['a', 'b', 'b', 'c'],
  );
  const [first, second, , last] = waiting.map(({ why }) => why);
  assert.equal(first, '"a" is answering 1 of 1 requests at once');
  assert.match(second ?? '', /^"a" has its turn for at most another \d+ s$/);
  assert.equal(last, '"b" is loaded first');
});

test('what runs, and for whom, is shown as long as it runs', async (t) => {
  const held = new HeldAnswers();
  const { jano } = await openMachineRig(t, ['a', 'b'], { answer: held.answer, resident: ['a'] });

  const reply = ask(jano, 'a', { caller: 'me' });
  const answer = await held.next();
  const during = await readStatus(jano);
  answer.end();
  await reply;
  const after = await untilStatus(jano, 'nothing runs', ({ inFlight }) => inFlight === 0);

  const [running] = during.running;
  assert.deepEqual([during.running.length, running?.model, running?.caller], [1, 'a', 'me']);
  assert.deepEqual([during.inFlight, during.inFlightByModel], [1, { a: 1, b: 0 }]);
  assert.deepEqual([after.running, after.requestsServedTotal], [[], 1]);
});

test('swaps are counted, and those that arrival order would have cost', async (t) => {
  const held = new HeldAnswers();
  const { jano } = await openMachineRig(t, ['chat', 'code'], {
    answer: held.answer,
    resident: ['chat'],
  });
  const before = await readStatus(jano);

  const replies = [];
  for (const [index, model] of ['chat', 'code', 'chat', 'chat', 'code', 'code'].entries()) {
    replies.push(ask(jano, model));
    await untilStatus(jano, 'it came', (now) => now.queueDepth + now.inFlight > index);
  }
  await held.endNext(6);
  await Promise.all(replies);
  const after = await readStatus(jano);

  assert.deepEqual([before.swapsTotal, before.lastSwapDurationMs], [0, null]);
  assert.deepEqual([after.swapsTotal, after.swapsAvoided, after.swapFailuresTotal], [1, 2, 0]);
  assert.ok((after.lastSwapDurationMs ?? 0) > 0);
  assert.deepEqual(after.backendHealth, { chat: 'unknown', code: 'up' });
  assert.deepEqual([before.currentModelLoadedAt, after.currentModel], [null, 'code']);
  assert.notEqual(after.currentModelLoadedAt, null);
});

test('a loaded model that is asked for its slots is still being loaded', async (t) => {
  const props = Promise.withResolvers<() => void>();
  const { jano } = await openMachineRig(t, ['a'], {
    answer: (_model, req, res) => {
      if (req.url === '/props') return props.resolve(() => res.end('{"total_slots":2}'));
      res.end('{"choices":[{"message":{"content":"a says hello"}}]}');
    },
    models: { a: { parallel: 'auto' } },
    slots: null,
  });

  const reply = ask(jano, 'a');
  const tell = await props.promise;
  const { swap, waiting, swapsTotal } = await readStatus(jano);
  tell();
  await reply;

  assert.deepEqual([swap?.to, swap?.phase, swapsTotal], ['a', 'ready', 0]);
  assert.match(waiting[0]?.why ?? '', /^"a" is being loaded, for /);
});

test('a model that comes back after its ttl is a swap in order of arrival, too', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], {
    models: { a: { ttl: '1ms' } },
    unload: WAIT_FOR_GO,
  });
  const unloads = (): number => machine.calls().filter((call) => call === 'unload a').length;

  await ask(jano, 'a');
  await until('it is being unloaded', () => unloads() === 1);
  const during = ask(jano, 'a');
  await untilWaiting(jano, 1);
  await machine.go();
  await during;
  await until('it is being unloaded', () => unloads() === 2);
  await machine.go();
  await untilStatus(jano, 'it is gone', () => machine.residents().length === 0);
  await ask(jano, 'a');
  const { swapsTotal, swapsAvoided } = await readStatus(jano);
  await machine.go();

  assert.deepEqual([swapsTotal, swapsAvoided], [3, 0]);
});

test('a record tells how long its own model was being loaded while it waited', async (t) => {
  const { jano } = await openMachineRig(t, ['a', 'b'], { resident: ['a'] });

  await ask(jano, 'a');
  await ask(jano, 'b');
  const { requests } = jano.snapshot().ledger;
  await until('both are recorded', () => requests.newest().length === 2);
  const [loaded, resident] = requests.newest();

  assert.equal(resident?.swapMs, 0);
  const queuedMs = (loaded?.dispatchedAt ?? 0) - (loaded?.arrivedAt ?? 0);
  assert.ok(loaded !== undefined && loaded.swapMs > 0 && loaded.swapMs <= queuedMs);
});
