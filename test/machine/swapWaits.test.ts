import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SwapResult } from '../../src/swap/swapper.ts';
import type { Dispatcher } from '../../src/dispatch/dispatcher.ts';
import { ENDING, idleSwapper, openDispatcher, turnOf } from '../support/dispatcher.ts';

/** Swaps end when the test says so; the clock is the test's. */
interface Stage {
  readonly dispatcher: Dispatcher;
  readonly setTime: (now: number) => void;
  readonly endSwap: (outcome: SwapResult['outcome']) => Promise<void>;
}

test('who waits for a swap is told how long and for which, from its arrival', async () => {
  const { dispatcher, setTime, endSwap } = await openStage();
  const first = turnOf(1, 'b');
  const second = turnOf(2, 'b');

  void dispatcher.enter(first);
  setTime(30);
  void dispatcher.enter(second);
  setTime(100);
  await endSwap('ok');

  assert.deepEqual([first.swapMs, first.swapIds], [100, [1]]);
  assert.deepEqual([second.swapMs, second.swapIds], [70, [1]]);
});

test('who leaves during the swap has waited for it until then', async () => {
  const { dispatcher, setTime, endSwap } = await openStage();
  const [leaver, other] = [turnOf(1, 'b'), turnOf(2, 'b')];
  void dispatcher.enter(leaver);
  void dispatcher.enter(other);

  setTime(40);
  dispatcher.release(1, ENDING);
  setTime(100);
  await endSwap('ok');

  assert.deepEqual([leaver.swapMs, leaver.swapIds], [40, [1]]);
});

test('who waits for another model has not waited for the swap', async () => {
  const { dispatcher, setTime, endSwap } = await openStage();
  const other = turnOf(2, 'a');
  void dispatcher.enter(turnOf(1, 'b'));
  void dispatcher.enter(other);

  setTime(100);
  await endSwap('ok');

  assert.deepEqual([other.swapMs, other.swapIds], [0, []]);
});

test('a swap that is tried again is waited for twice', async () => {
  const { dispatcher, setTime, endSwap } = await openStage();
  const turn = turnOf(1, 'b');
  void dispatcher.enter(turn);

  setTime(100);
  await endSwap('script_failed');
  setTime(150);
  await endSwap('ok');

  assert.deepEqual([turn.swapMs, turn.swapIds], [150, [1, 2]]);
});

async function openStage(): Promise<Stage> {
  let now = 0;
  let swapping = Promise.withResolvers<SwapResult>();
  const dispatcher = await openDispatcher({
    now: () => now,
    swapper: { ...idleSwapper, swap: () => swapping.promise },
  });
  return {
    dispatcher,
    setTime: (time) => (now = time),
    endSwap: async (outcome) => {
      const ending = swapping;
      swapping = Promise.withResolvers();
      ending.resolve({
        outcome,
        scriptMs: 1,
        readyMs: null,
        error: outcome === 'ok' ? null : 'no',
      });
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
