import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArrivalOrder } from '../../src/core/arrivalOrder.ts';
import { Catalog } from '../../src/core/catalog.ts';
import { Ledger } from '../../src/core/ledger.ts';
import { defaultPolicy } from '../../src/core/policy/settings.ts';
import { Scheduler } from '../../src/core/scheduler.ts';
import { Dispatcher, type Turn } from '../../src/dispatch/dispatcher.ts';
import type { Swapper } from '../../src/swap/swapper.ts';
import { backend } from '../support/backend.ts';

const BACKENDS = {
  a: backend('a', 'http://127.0.0.1:1'),
  b: backend('b', 'http://127.0.0.1:1'),
};
const ENDING = { reply: 'plain', hasServed: true } as const;

/** The model "a" is resident and takes one request at once. */
const swapper: Swapper = {
  swap: () => Promise.reject(new Error('nothing has to be swapped')),
  unload: () => Promise.resolve(null),
  findResident: () => Promise.resolve(new Set(['a'])),
  isHealthy: () => Promise.resolve(true),
  askParallel: () => Promise.resolve(null),
  close: () => Promise.resolve(),
};

test('a caller that leaves in the step in which its turn has come leaves nothing behind', async () => {
  const dispatcher = await openDispatcher();
  const enter = async (id: number): Promise<void> => {
    await dispatcher.enter(turnOf(id));
    dispatcher.track({
      id,
      model: 'a',
      caller: 'me',
      dispatchedAt: 0,
      firstByteAt: null,
      bytes: 0,
    });
  };

  await enter(1);
  const second = enter(2);
  dispatcher.release(1, ENDING);
  dispatcher.release(2, ENDING);
  await second;

  assert.deepEqual([...dispatcher.running], []);
  await dispatcher.untilIdle(60_000);
});

test('a stop waits for a request that was dispatched in the step before', async () => {
  const dispatcher = await openDispatcher();

  const entered = dispatcher.enter(turnOf(1));
  dispatcher.stopAdmitting();
  const idle = dispatcher.untilIdle(60_000).then(() => 'idle');
  await entered;
  dispatcher.release(1, ENDING);

  assert.equal(dispatcher.runningCount, 0);
  assert.equal(await idle, 'idle');
});

test('after a stop nothing is loaded for those who were told that they wait in vain', async () => {
  const dispatcher = await openDispatcher();
  await dispatcher.enter(turnOf(1));
  const waiting = dispatcher.enter(turnOf(2, 'b'));

  dispatcher.stopAdmitting();
  dispatcher.release(1, ENDING);

  assert.equal(dispatcher.swap, null);
  await assert.rejects(waiting, { message: 'jano is stopping' });
});

test('who is refused after a failed swap is told how long the refusals still last', async () => {
  const clock = { now: 0 };
  const failing: Swapper = {
    ...swapper,
    swap: () =>
      Promise.resolve({ outcome: 'timeout', scriptMs: 0, readyMs: null, error: 'too late' }),
    isHealthy: () => Promise.resolve(false),
  };
  const dispatcher = await openDispatcher(failing, () => clock.now);

  const first = dispatcher.enter(turnOf(1, 'b'));
  await assert.rejects(first, { reason: 'swap_failed', retryAfterSeconds: 30 });
  clock.now = 24_400;
  const second = dispatcher.enter(turnOf(2, 'b'));

  await assert.rejects(second, { reason: 'swap_failed', retryAfterSeconds: 6 });
});

async function openDispatcher(hands = swapper, now: () => number = () => 0): Promise<Dispatcher> {
  const models = ['a', 'b'].map((model) => ({
    model,
    memory: 1,
    pinned: false,
    ttlMs: 0,
    parallel: 1,
  }));
  const dispatcher = new Dispatcher({
    scheduler: new Scheduler(models, 1, { ...defaultPolicy, settleMinMs: 0, settleMaxMs: 0 }),
    arrivalOrder: new ArrivalOrder(1),
    catalog: new Catalog(Object.values(BACKENDS)),
    swapper: hands,
    now,
    recorder: new Ledger(10, 0),
    limits: { maxWaiting: 10, maxWaitingBytes: 0 },
  });
  await dispatcher.start(null);
  return dispatcher;
}

function turnOf(id: number, model: 'a' | 'b' = 'a'): Turn {
  return {
    id,
    backend: BACKENDS[model],
    caller: 'me',
    bodyBytes: 0,
    causesSwap: true,
    dispatchedAt: null,
    swapMs: 0,
  };
}
