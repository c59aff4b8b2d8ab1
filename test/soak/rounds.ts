// Rounds of the soak, each with a seed of its own, for as long as is asked for; then what there was to see:
//   npm run soak -- --minutes 30
// JANO_SEED is the seed of the first round. Exit code 1 when anything was not as it must be.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArgs } from 'node:util';
import { Random } from '../bench/sim/random.ts';
import { formatTable } from '../bench/table.ts';
import { findGrowth, type Footprint, measureFootprint } from './footprint.ts';
import { playRound, type RoundResult } from './round.ts';
import { openSoakMachine, type SoakMachine } from './soakMachine.ts';

const ROUND = { requests: 500, callers: 50 } as const;
const MINUTE_MS = 60_000;

interface Report {
  readonly rounds: number;
  readonly results: RoundResult;
  readonly atStart: Footprint;
  readonly atEnd: Footprint;
  readonly peakBytes: number;
}

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '5' } } });
const minutes = Number(values.minutes);
const seed = Number(process.env['JANO_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

test(`soak of ${minutes} minutes, seed ${seed}`, async (t) => {
  const endAt = performance.now() + minutes * MINUTE_MS;
  const machine = await openSoakMachine(t, new Random(seed));
  let results = await play(machine, seed, 1);
  // The first round has loaded all code and filled all that is bounded.
  const atStart = measureFootprint();
  let peakBytes = atStart.heldBytes;
  let rounds = 1;
  while (performance.now() < endAt) {
    results = together(results, await play(machine, seed + rounds, rounds + 1));
    rounds += 1;
    peakBytes = Math.max(peakBytes, measureFootprint().heldBytes);
  }
  const atEnd = measureFootprint();
  const growth = findGrowth(atStart, atEnd);
  results = together(results, { ...emptyResult, violations: growth });
  print(describe(machine, { rounds, results, atStart, atEnd, peakBytes }));
  assert.deepEqual(results.violations, []);
});

const emptyResult: RoundResult = {
  outcomes: new Map(),
  kills: 0,
  slowestWaitMs: 0,
  violations: [],
};

async function play(machine: SoakMachine, roundSeed: number, number: number): Promise<RoundResult> {
  const beganAt = performance.now();
  const result = await playRound(machine, { seed: roundSeed, ...ROUND });
  const seconds = ((performance.now() - beganAt) / 1000).toFixed(0);
  const told = [...result.outcomes].map(([outcome, count]) => `${count} ${outcome}`);
  print(`round ${number}, seed ${roundSeed}, ${seconds} s: ${told.toSorted().join(', ')}`);
  const violations = result.violations.map((what) => `seed ${roundSeed}: ${what}`);
  for (const violation of violations) print(`  VIOLATION ${violation}`);
  return { ...result, violations };
}

function together(one: RoundResult, other: RoundResult): RoundResult {
  const outcomes = new Map(one.outcomes);
  for (const [outcome, count] of other.outcomes) {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
  }
  return {
    outcomes,
    kills: one.kills + other.kills,
    slowestWaitMs: Math.max(one.slowestWaitMs, other.slowestWaitMs),
    violations: [...one.violations, ...other.violations],
  };
}

function describe({ jano }: SoakMachine, report: Report): string {
  const { rounds, results, atStart, atEnd, peakBytes } = report;
  const { ledger } = jano.snapshot();
  const outcomes = [...results.outcomes].toSorted(([, one], [, other]) => other - one);
  const requests = outcomes.reduce((sum, [, count]) => sum + count, 0);
  const rows: [string, string][] = [
    ['rounds', `${rounds}`],
    ['requests', `${requests}`],
    ...outcomes.map(([outcome, count]): [string, string] => [`  ${outcome}`, `${count}`]),
    ['swaps', `${ledger.swapsTotal}`],
    ['failed runs of the script', `${ledger.swapFailuresTotal}`],
    ['servers killed', `${results.kills}`],
    ['slowest wait', `${(results.slowestWaitMs / 1000).toFixed(1)} s`],
    ['memory held after the first round', inMiB(atStart.heldBytes)],
    ['memory held at the end', inMiB(atEnd.heldBytes)],
    ['memory held at most', inMiB(peakBytes)],
    ['file descriptors, first and last', `${atStart.fileDescriptors}, ${atEnd.fileDescriptors}`],
    ['violations', `${results.violations.length}`],
  ];
  return `\n${formatTable(rows)}\n${results.violations.map((line) => `  ${line}\n`).join('')}`;
}

function inMiB(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
