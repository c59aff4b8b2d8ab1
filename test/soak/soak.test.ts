import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../bench/sim/random.ts';
import { until } from '../rig/polling.ts';
import { leaveNoChildren } from '../swap/processes.ts';
import { findGrowth, measureFootprint } from './footprint.ts';
import { playRound } from './round.ts';
import { openSoakMachine } from './soakMachine.ts';

const REQUESTS = 500;
const CALLERS = 50;
const WARM_UP = 100;
/** What a record, and all else that is kept of a request on purpose, may take. */
const BYTES_PER_REQUEST = 10_000;

leaveNoChildren();

test('500 requests of 50 callers, some of whom leave while servers die: all end, nothing is left', async (t) => {
  const seed = Number(process.env['JANO_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`JANO_SEED=${seed}`);
  const machine = await openSoakMachine(t, new Random(seed));
  await playRound(machine, { seed: seed + 1, requests: WARM_UP, callers: CALLERS });
  const before = measureFootprint();

  const { outcomes, kills, violations } = await playRound(machine, {
    seed,
    requests: REQUESTS,
    callers: CALLERS,
  });

  t.diagnostic(`${[...outcomes].join(' ')}, ${kills} servers killed`);
  assert.deepEqual(violations, []);
  await until('nothing is left', () => findGrowth(before, measureFootprint()).length === 0).catch(
    () => assert.deepEqual(findGrowth(before, measureFootprint()), []),
  );
  const grownBytes = measureFootprint().heldBytes - before.heldBytes;
  assert.ok(grownBytes < REQUESTS * BYTES_PER_REQUEST, `${grownBytes} bytes more are held`);
  // It has met what it is about.
  assert.ok((outcomes.get('served') ?? 0) > REQUESTS / 3);
  assert.ok((outcomes.get('abandoned') ?? 0) > 0);
  assert.ok(kills > 0);
});
