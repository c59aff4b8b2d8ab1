import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Swapper } from '../../src/swap/swapper.ts';
import { ENDING, idleSwapper, openDispatcher, turnOf } from '../support/dispatcher.ts';

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
      movedAt: 0,
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

test('when a model leaves memory its slots are watched no more', async () => {
  const watched = Promise.withResolvers<AbortSignal>();
  const dispatcher = await openDispatcher({
    swapper: {
      ...idleSwapper,
      swap: () => new Promise(() => undefined),
      askParallel: () => Promise.resolve(1),
      watchSlots: async (_, __, end) => watched.resolve(end),
    },
  });
  await dispatcher.enter(turnOf(1));
  dispatcher.release(1, { ...ENDING, mayGoOn: true });
  const end = await watched.promise;
  const before = end.aborted;

  void dispatcher.enter(turnOf(2, 'b'));

  assert.deepEqual([before, dispatcher.swap?.to, end.aborted], [false, 'b', true]);
});

test('who is refused after a failed swap is told how long the refusals still last', async () => {
  const clock = { now: 0 };
  const failing: Swapper = {
    ...idleSwapper,
    swap: () =>
      Promise.resolve({ outcome: 'timeout', scriptMs: 0, readyMs: null, error: 'too late' }),
    isHealthy: () => Promise.resolve(false),
  };
  const dispatcher = await openDispatcher({ swapper: failing, now: () => clock.now });

  const first = dispatcher.enter(turnOf(1, 'b'));
  await assert.rejects(first, { reason: 'swap_failed', retryAfterSeconds: 30 });
  clock.now = 24_400;
  const second = dispatcher.enter(turnOf(2, 'b'));

  await assert.rejects(second, { reason: 'swap_failed', retryAfterSeconds: 6 });
});
