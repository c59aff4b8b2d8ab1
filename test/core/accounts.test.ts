import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ring } from '../../src/core/ring.ts';
import { SlidingSum } from '../../src/core/slidingSum.ts';

test('a ring gives the newest first and forgets the oldest', () => {
  const ring = new Ring<number>(3);
  for (const item of [1, 2, 3, 4, 5]) ring.push(item);

  assert.deepEqual(
    [ring.newest(), ring.newest(2), ring.newest(9)],
    [
      [5, 4, 3],
      [5, 4],
      [5, 4, 3],
    ],
  );
});

test('a ring that is not full gives what there is', () => {
  const ring = new Ring<number>(3);
  ring.push(1);
  ring.push(2);

  assert.deepEqual(ring.newest(), [2, 1]);
});

test('a sliding sum counts what lies within the window, to the second', () => {
  const sum = new SlidingSum(60_000);
  sum.add(1, 1_000_000);
  sum.add(2, 1_000_500);
  sum.add(4, 1_030_000);

  const totals = [1_030_000, 1_060_000, 1_062_000, 1_092_000].map((now) => sum.total(now));

  assert.deepEqual(totals, [7, 7, 4, 0]);
});

test('a sliding sum can be asked for a part of its window', () => {
  const sum = new SlidingSum(3_600_000);
  sum.add(1, 10_000_000);
  sum.add(2, 13_000_000);

  assert.equal(sum.total(13_000_000, 12_500_000), 2);
});

test('a sliding sum keeps no more than one number per second', () => {
  const sum = new SlidingSum(1000);
  for (let at = 0; at < 100_000; at++) sum.add(1, at);

  assert.equal(sum.total(99_999), 2000);
});

test('what a sliding sum got before the clock was set back is not in its window, and comes back into it', () => {
  const sum = new SlidingSum(60_000);
  sum.add(1, 1_000_000);
  sum.add(2, 500_000);

  const totals = [500_000, 1_000_000].map((now) => sum.total(now));

  assert.deepEqual(totals, [2, 1]);
});
