import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { until } from '../rig/polling.ts';
import type { FakeMachine } from '../support/machine.ts';
import type { RunningJano } from '../support/startJano.ts';
import { ask } from './asking.ts';
import { type HeldAnswer, HeldAnswers } from './heldAnswers.ts';
import { openMachineRig, type MachineRigOptions } from './machineRig.ts';
import { untilStatus, untilWaiting } from './statusView.ts';

const MINUTE_MS = 60_000;

/** Somebody is served by "a" and does not end, and somebody else waits for "b". */
interface Standstill {
  readonly jano: RunningJano;
  readonly machine: FakeMachine;
  /** The answer that does not come. */
  readonly held: HeldAnswer;
  /** The next request that reaches a model. */
  readonly next: () => Promise<HeldAnswer>;
  /** Sets Jano's clock forward, or back. */
  readonly pass: (ms: number) => void;
}

async function openStandstill(
  t: TestContext,
  { waits = true, ...options }: MachineRigOptions & { waits?: boolean } = {},
): Promise<Standstill> {
  const answers = new HeldAnswers();
  let aheadMs = 0;
  const { jano, machine } = await openMachineRig(t, ['a', 'b'], {
    resident: ['a'],
    answer: answers.answer,
    config: { health: { stuckAfter: '5m' } },
    surroundings: { now: () => Date.now() + aheadMs },
    ...options,
  });
  void ask(jano, 'a', { caller: 'secretary' }).catch(() => undefined);
  const held = await answers.next();
  await untilStatus(jano, 'it is shown', ({ running }) => running.length === 1);
  if (waits) {
    void ask(jano, 'b', { caller: 'secretary' }).catch(() => undefined);
    await untilWaiting(jano, 1);
  }
  const pass = (ms: number): void => void (aheadMs += ms);
  return { jano, machine, held, pass, next: () => answers.next() };
}

interface Health {
  readonly code: number;
  readonly status: string;
  readonly reason: string;
}

async function healthOf({ url }: RunningJano): Promise<Health> {
  const response = await fetch(`${url}/health`);
  const { ok, status, reason = '' } = Object(await response.json());
  assert.equal(ok, response.status === 200);
  return { code: response.status, status, reason };
}

const OK: Health = { code: 200, status: 'ok', reason: '' };

test('a backend that takes a request and never answers while others wait is told as stuck', async (t) => {
  const { jano, pass } = await openStandstill(t);
  pass(4 * MINUTE_MS);
  const before = await healthOf(jano);

  pass(4 * MINUTE_MS);
  const { code, status, reason } = await healthOf(jano);

  assert.deepEqual(before, OK);
  assert.deepEqual([code, status], [503, 'stuck']);
  assert.equal(
    reason,
    'a request for "b" has waited for 8 min, and for 5 min nothing has moved: "a" has not answered a request for 8 min',
  );
});

test('with no word of it in the config, it is stuck after a whole turn and a whole swap', async (t) => {
  const { jano, pass } = await openStandstill(t, {
    config: {},
    swap: { timeout: '60s' },
    policy: { maxTurnMs: 10 * MINUTE_MS },
  });
  pass(10.9 * MINUTE_MS);
  const before = await healthOf(jano);

  pass(0.2 * MINUTE_MS);

  assert.deepEqual(before, OK);
  assert.equal((await healthOf(jano)).status, 'stuck');
});

test('a single byte makes it well again, and then it is told that the answer stands still', async (t) => {
  const { jano, held, pass } = await openStandstill(t);
  pass(6 * MINUTE_MS);
  const before = await healthOf(jano);

  held.begin();
  await untilStatus(jano, 'a byte has come', ({ running }) => running[0]?.bytes === 1);
  const after = await healthOf(jano);
  pass(6 * MINUTE_MS);

  assert.equal(before.status, 'stuck');
  assert.deepEqual(after, OK);
  assert.match((await healthOf(jano)).reason, /: an answer of "a" has stood still for 6 min$/);
});

test('a swap that ends makes it well again, even one that fails', async (t) => {
  const { jano, machine, held, pass, next } = await openStandstill(t, {
    isGated: true,
    script: '[ -e once ] || { : > once; exit 1; }',
  });
  held.end();
  await untilStatus(jano, 'it swaps', ({ swap }) => swap !== null);
  pass(6 * MINUTE_MS);
  const during = await healthOf(jano);

  await machine.go();
  await untilStatus(jano, 'it has failed', ({ swapFailuresTotal }) => swapFailuresTotal === 1);
  const failed = await healthOf(jano);
  pass(6 * MINUTE_MS);
  const again = await healthOf(jano);
  await machine.go();
  await next();

  assert.match(during.reason, /: the swap to "b" has gone on for 6 min$/);
  assert.deepEqual(failed, OK);
  assert.equal(again.status, 'stuck');
  assert.deepEqual(await healthOf(jano), OK);
});

test('an answer that ends counts as a move, also when what is next does not', async (t) => {
  const { jano, machine, held, pass } = await openStandstill(t, { isGated: true });
  pass(6 * MINUTE_MS);
  const before = await healthOf(jano);

  held.end();
  await untilStatus(jano, 'it swaps', ({ swap }) => swap !== null);

  assert.equal(before.status, 'stuck');
  assert.deepEqual(await healthOf(jano), OK);
  await machine.go();
});

test('a long prefill is not stuck while nobody waits', async (t) => {
  const { jano, pass } = await openStandstill(t, { waits: false });

  pass(60 * MINUTE_MS);

  assert.deepEqual(await healthOf(jano), OK);
});

test('it is not stuck as soon as somebody comes who has to wait for a long prefill', async (t) => {
  const { jano, pass } = await openStandstill(t, { waits: false });
  pass(60 * MINUTE_MS);

  void ask(jano, 'b').catch(() => undefined);
  await untilWaiting(jano, 1);

  assert.deepEqual(await healthOf(jano), OK);
});

test('a slow stream that others wait for is not stuck', async (t) => {
  const { jano, held, pass } = await openStandstill(t);
  const seen: Health[] = [];

  for (let bytes = 1; bytes <= 4; bytes++) {
    pass(4 * MINUTE_MS);
    held.begin();
    await untilStatus(jano, 'one more byte', ({ running }) => running[0]?.bytes === bytes);
    seen.push(await healthOf(jano));
  }

  assert.deepEqual(seen, [OK, OK, OK, OK]);
});

test('it is not stuck any more when those who waited have left', async (t) => {
  const { jano, pass } = await openStandstill(t, { waits: false });
  const leaving = new AbortController();
  const left = ask(jano, 'b', leaving).catch(() => 'left');
  await untilWaiting(jano, 1);
  pass(6 * MINUTE_MS);
  const before = await healthOf(jano);

  leaving.abort();
  await left;
  await untilWaiting(jano, 0);

  assert.equal(before.status, 'stuck');
  assert.deepEqual(await healthOf(jano), OK);
});

test('a clock that is set back makes nobody stuck', async (t) => {
  const { jano, pass } = await openStandstill(t);

  pass(-60 * MINUTE_MS);

  assert.deepEqual(await healthOf(jano), OK);
});

test('who asks for health without a key does not learn who the callers are', async (t) => {
  const { jano, pass } = await openStandstill(t);
  pass(6 * MINUTE_MS);

  const { status, reason } = await healthOf(jano);

  assert.equal(status, 'stuck');
  assert.doesNotMatch(reason, /secretary/);
});

test('it is found stuck by itself, on a clock that nobody sets', async (t) => {
  const { jano, held } = await openStandstill(t, {
    surroundings: {},
    config: { health: { stuckAfter: '200ms' } },
  });

  await until('it is stuck', async () => (await healthOf(jano)).status === 'stuck');
  held.end();

  await until('it is well again', async () => (await healthOf(jano)).code === 200);
});
