import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../rig/polling.ts';
import type { Dispatcher } from '../../src/dispatch/dispatcher.ts';
import {
  ENDING,
  idleSwapper,
  type ModelName,
  openDispatcher,
  turnOf,
} from '../support/dispatcher.ts';

/** A request that runs and says nothing. */
class QuietRequest {
  readonly id: number;
  readonly model: ModelName;
  silentSince = 0;
  closings = 0;

  constructor(id: number, model: ModelName = 'a') {
    this.id = id;
    this.model = model;
  }

  close(): void {
    this.closings += 1;
  }
}

test('a request that is silent for long is closed as soon as somebody waits for its memory, once', async () => {
  const { dispatcher, clock, quiet } = await runQuietly();
  clock.now = 5000;
  const before = quiet.closings;

  begin(dispatcher, 2, 'b');
  begin(dispatcher, 3, 'b');

  assert.deepEqual([before, quiet.closings], [0, 1]);
});

test('a request is closed as its silence becomes too long while somebody waits', async () => {
  const { dispatcher, quiet } = await runQuietly({ idleSocketMs: 500, now: Date.now });
  quiet.silentSince = Date.now();

  begin(dispatcher, 2, 'b');
  const before = quiet.closings;
  await until('it is closed', () => quiet.closings > 0);

  assert.deepEqual([before, quiet.closings], [0, 1]);
});

test('a request that falls silent again and again has its whole time each time', async () => {
  const { dispatcher, clock, quiet } = await runQuietly();
  begin(dispatcher, 2, 'b');

  clock.now = quiet.silentSince = 900;
  clock.now = 1800;
  begin(dispatcher, 3, 'b');
  const during = quiet.closings;
  clock.now = 1900;
  begin(dispatcher, 4, 'b');

  assert.deepEqual([during, quiet.closings], [0, 1]);
});

test('a request that is silent already when it is first watched is closed if somebody waits', async () => {
  const { dispatcher, clock } = await runQuietly();
  begin(dispatcher, 2, 'b');
  clock.now = 5000;

  const late = new QuietRequest(1);
  dispatcher.watchSilence(late);

  assert.equal(late.closings, 1);
});

test('a silent request goes on while nobody waits, or only for a slot of its model', async () => {
  const { dispatcher, clock, quiet } = await runQuietly();
  clock.now = 5000;

  begin(dispatcher, 2, 'a');

  assert.equal(quiet.closings, 0);
});

test('a silent request goes on for ever where idleSocket is 0', async () => {
  const { dispatcher, clock, quiet } = await runQuietly({ idleSocketMs: 0 });
  clock.now = 1e9;

  begin(dispatcher, 2, 'b');

  assert.equal(quiet.closings, 0);
});

test('a request that is over is not closed any more, and not watched', async () => {
  const { dispatcher, clock, quiet } = await runQuietly();
  await dispatcher.enter(turnOf(2, 'a', { causesSwap: false }));
  dispatcher.release(1, ENDING);
  dispatcher.watchSilence(quiet);
  clock.now = 5000;

  begin(dispatcher, 3, 'b');

  assert.equal(quiet.closings, 0);
});

test('what the closing of a request makes possible happens at once', async () => {
  const { dispatcher, clock, quiet } = await runQuietly();
  quiet.close = () => dispatcher.release(quiet.id, ENDING);
  clock.now = 5000;

  begin(dispatcher, 2, 'b');

  assert.equal(dispatcher.swap?.to, 'b');
});

/** A watched request runs on "a", on a clock of the test's unless told otherwise, and may be silent for a second. */
async function runQuietly({
  idleSocketMs = 1000,
  now = null,
}: { idleSocketMs?: number; now?: (() => number) | null } = {}) {
  const clock = { now: 0 };
  const dispatcher = await openDispatcher({
    idleSocketMs,
    now: now ?? (() => clock.now),
    swapper: { ...idleSwapper, swap: () => new Promise(() => undefined) },
  });
  const quiet = new QuietRequest(1);
  await dispatcher.enter(turnOf(1));
  dispatcher.watchSilence(quiet);
  return { dispatcher, clock, quiet };
}

/** A request that nobody waits for in the test. */
function begin(dispatcher: Dispatcher, id: number, model: ModelName): void {
  void dispatcher.enter(turnOf(id, model));
}
