import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Snapshot } from '../../src/core/snapshot.ts';
import { scrape, sumOf } from './scrape.ts';
import type { RunningJano } from './startJano.ts';

const OUTCOMES = ['served', 'refused', 'failed', 'cut', 'rejected', 'abandoned'];

/**
 * What every request has a right to, however it ended: exactly one record, which says how (such as
 * `502 failed`, oldest first), to be counted once, no place in the queue and no slot kept, and Jano goes on serving.
 */
export async function assertEnded(jano: RunningJano, endings: readonly string[]): Promise<void> {
  await untilRecorded(jano, endings.length);
  assertIdle(jano);
  assert.equal(await statusOfFurther(jano), 200);
  await untilRecorded(jano, endings.length + 1);
  assert.deepEqual(endingsOf(jano), [...endings, '200 served']);
  await assertCounted(jano, [...endings, '200 served']);
}

/** The same, in whatever order they ended, and without a further request. */
export async function assertRecorded(jano: RunningJano, endings: readonly string[]): Promise<void> {
  await untilRecorded(jano, endings.length);
  assertIdle(jano);
  assert.deepEqual(endingsOf(jano).toSorted(), endings.toSorted());
  await assertCounted(jano, endings);
}

/** /metrics counts each of them once, by its outcome, and none as waiting or in flight. */
async function assertCounted(jano: RunningJano, endings: readonly string[]): Promise<void> {
  const scraped = await scrape(jano);
  const told = Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, sumOf(scraped, 'jano_requests_total', `="${outcome}"`)]),
  );
  const were = Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, endings.filter((end) => end.endsWith(outcome)).length]),
  );
  assert.deepEqual(told, were);
  assert.equal(sumOf(scraped, 'jano_queue_depth'), 0);
  assert.equal(sumOf(scraped, 'jano_requests_in_flight'), 0);
}

/** Resolves once so many requests are over and recorded. */
export function untilRecorded(jano: RunningJano, count: number): Promise<void> {
  return untilShown(jano, ({ ledger }) => ledger.requests.newest().length >= count);
}

/** Resolves once what Jano tells about itself satisfies the test. */
export async function untilShown(
  jano: RunningJano,
  isThere: (snapshot: Snapshot) => boolean,
): Promise<void> {
  while (!isThere(jano.snapshot())) await setTimeout(1, undefined, { ref: false });
}

/** How the requests ended that are recorded, oldest first. */
export function endingsOf(jano: RunningJano): string[] {
  const records = jano.snapshot().ledger.requests.newest().toReversed();
  return records.map(({ status, outcome }) => `${status} ${outcome}`);
}

/** Nothing waits and nothing runs. */
export function assertIdle(jano: RunningJano): void {
  const { models, waiting, running } = jano.snapshot();
  const busy = models.filter((model) => model.waiting > 0 || model.inFlight !== 0);
  assert.deepEqual({ busy, waiting, running }, { busy: [], waiting: [], running: [] });
}

/** The status of a request that takes a slot and that every fake backend answers with 200. */
async function statusOfFurther(jano: RunningJano): Promise<number> {
  const [first] = jano.snapshot().models;
  const response = await fetch(`${jano.url}/upstream/${first?.model}/health`, { method: 'POST' });
  await response.arrayBuffer();
  return response.status;
}
