import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Random } from '../bench/sim/random.ts';
import { Ledger } from '../../src/core/ledger.ts';
import type { RequestRecord, SwapRecord } from '../../src/core/record.ts';
import { timesOf } from '../../src/core/requestTimes.ts';
import { tokensOf } from '../../src/core/tokenTotals.ts';
import { requestRecord, swapRecord, usageOf } from '../support/records.ts';
import { withSeeds } from './policy/properties/seeds.ts';

const MODELS = ['qwen', 'gemma', 'phi', 'several', '__proto__'] as const;
const OUTCOMES = ['served', 'refused', 'failed', 'cut', 'rejected', 'abandoned'] as const;
const REASONS = ['no_usage', 'unreadable', 'compressed', 'too_large', 'not_json'] as const;
const RECORDS_KEPT = 500;

suite('after any traffic', () => {
  test('the sums over callers are those over models, and those over all records there were', () => {
    withSeeds(5, (random) => {
      const ledger = new Ledger(RECORDS_KEPT, 0);
      const { requests, swaps } = play(random, ledger, 3000, 200);

      const expected = sumsOfRecords(requests, swaps);
      assert.deepEqual(sumsOfModels(ledger), expected.ofModels);
      for (const rows of [ledger.callers.all, ledger.callers.labelled]) {
        assert.deepEqual(sumsOfCallers(rows), expected.ofCallers);
      }
      assert.deepEqual(
        [ledger.swapsTotal, ledger.swapFailuresTotal, ledger.requests.newest().length],
        [expected.swapsTotal, swaps.length - expected.swapsTotal, RECORDS_KEPT],
      );
    });
  });

  test('no total has ever gone down: 600 swaps and 10,000 requests, of which 500 are kept', () => {
    withSeeds(1, (random) => {
      const ledger = new Ledger(RECORDS_KEPT, 0);
      let before = new Map<string, number>();

      play(random, ledger, 10_000, 600, () => {
        const after = totalsIn(ledger);
        for (const [name, value] of before) {
          assert.ok((after.get(name) ?? -1) >= value, `${name} was ${value}`);
        }
        before = after;
      });

      assert.equal(before.get('swaps'), 600);
      assert.equal(before.get('requests'), 10_000);
      assert.equal(ledger.swaps.newest().length, 500);
      assert.ok(before.size < 400, `${before.size} totals`);
    });
  });
});

/** Closes requests and swaps in a random order; `look` is called now and then. */
function play(
  random: Random,
  ledger: Ledger,
  requestCount: number,
  swapCount: number,
  look: () => void = () => undefined,
): { readonly requests: readonly RequestRecord[]; readonly swaps: readonly SwapRecord[] } {
  const requests: RequestRecord[] = [];
  const swaps: SwapRecord[] = [];
  while (requests.length < requestCount || swaps.length < swapCount) {
    const isSwap =
      requests.length === requestCount ||
      (swaps.length < swapCount && random.chance(swapCount / (requestCount + swapCount)));
    if (isSwap) {
      swaps.push(anySwap(random, swaps.length + 1));
      ledger.swapClosed(swaps.at(-1) ?? swapRecord());
    } else {
      requests.push(anyRequest(random, requests.length + 1));
      ledger.requestClosed(requests.at(-1) ?? requestRecord());
    }
    if ((requests.length + swaps.length) % 50 === 0) look();
  }
  look();
  return { requests, swaps };
}

function anyRequest(random: Random, id: number): RequestRecord {
  const at = id * 10;
  const time = (): number | null => (random.chance(0.2) ? null : at + random.integer(-50, 5000));
  return requestRecord({
    id,
    model: random.chance(0.1) ? null : random.pick(MODELS),
    caller: anyCaller(random),
    outcome: random.pick(OUTCOMES),
    arrivedAt: at,
    dispatchedAt: time(),
    firstTokenAt: time(),
    lastEventAt: time(),
    endedAt: at + random.integer(-50, 5000),
    unmetered: random.chance(0.3) ? random.pick(REASONS) : null,
    usage: random.chance(0.3)
      ? null
      : usageOf({
          inputTokens: anyCount(random),
          outputTokens: anyCount(random),
          cachedTokens: anyCount(random),
        }),
  });
}

function anySwap(random: Random, id: number): SwapRecord {
  const [to, ...others] = MODELS.toSorted(() => random.next() - 0.5);
  return swapRecord({
    id,
    to: to ?? 'qwen',
    from: others.slice(0, random.integer(0, 2)),
    outcome: random.pick(['ok', 'ok', 'script_failed', 'timeout']),
    cause: { requestId: id, caller: anyCaller(random), why: '' },
  });
}

/** A few that come often, and so many others that the table forgets some. */
function anyCaller(random: Random): string {
  const name = random.chance(0.5) ? random.integer(1, 30) : random.integer(1, 100_000);
  return random.chance(0.02) ? '_other' : `caller ${name}`;
}

function anyCount(random: Random): number | null {
  const odd = [null, NaN, Infinity, -1, 0.5];
  return random.chance(0.2) ? random.pick(odd) : random.integer(0, 100_000);
}

function sumsOfRecords(requests: readonly RequestRecord[], swaps: readonly SwapRecord[]) {
  const count = (...outcomes: readonly string[]): number =>
    requests.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const tokens = requests.map(({ usage }) => tokensOf(usage));
  const inputTokens = sum(tokens.map(({ input }) => input));
  const outputTokens = sum(tokens.map(({ output }) => output));
  const times = requests.map(timesOf);
  return {
    swapsTotal: swaps.filter(({ outcome }) => outcome === 'ok').length,
    ofModels: {
      outcomes: OUTCOMES.map((outcome) => count(outcome)),
      reasons: REASONS.map((reason) => requests.filter((r) => r.unmetered === reason).length),
      tokens: [inputTokens, outputTokens, sum(tokens.map(({ cached }) => cached))],
      swaps: swaps.length,
    },
    ofCallers: {
      requests: requests.length,
      served: count('served'),
      failed: count('failed', 'cut'),
      tokens: [inputTokens, outputTokens],
      generationMs: sum(times.map(({ generationMs }) => generationMs ?? 0)),
      queueMs: sum(times.map(({ queueMs }) => queueMs)),
      swapsCaused: swaps.length,
    },
  };
}

function sumsOfModels({ totals, swapCounts }: Ledger) {
  const models = [...totals.values()];
  return {
    outcomes: OUTCOMES.map((outcome) => sum(models.map(({ requests }) => requests[outcome]))),
    reasons: REASONS.map((reason) => sum(models.map(({ unmetered }) => unmetered[reason]))),
    tokens: (['input', 'output', 'cached'] as const).map((type) =>
      sum(models.map(({ tokens }) => tokens[type])),
    ),
    swaps: sum([...swapCounts].map(({ count }) => count)),
  };
}

function sumsOfCallers(rows: Ledger['callers']['all']) {
  return {
    requests: sum(rows.map(({ requests }) => requests)),
    served: sum(rows.map(({ served }) => served)),
    failed: sum(rows.map(({ failed }) => failed)),
    tokens: [
      sum(rows.map(({ tokens }) => tokens.input)),
      sum(rows.map(({ tokens }) => tokens.output)),
    ],
    generationMs: sum(rows.map(({ generationMs }) => generationMs)),
    queueMs: sum(rows.map(({ queueMs }) => queueMs)),
    swapsCaused: sum(rows.map(({ swapsCaused }) => swapsCaused)),
  };
}

/** Everything that metrics would count, by a name of its own. */
function totalsIn(ledger: Ledger): Map<string, number> {
  const named: [string, number][] = [
    ['swaps', ledger.swapsTotal + ledger.swapFailuresTotal],
    ['requests', sum(ledger.callers.all.map(({ requests }) => requests))],
  ];
  for (const [model, { requests, tokens, unmetered }] of ledger.totals) {
    for (const [name, value] of Object.entries({ ...requests, ...tokens, ...unmetered })) {
      named.push([`${model} ${name}`, value]);
    }
  }
  for (const { from, to, outcome, count } of ledger.swapCounts) {
    named.push([`swaps ${from} ${to} ${outcome}`, count]);
  }
  for (const { caller, requests, tokens, queueMs } of ledger.callers.labelled) {
    for (const [name, value] of Object.entries({ requests, ...tokens, queueMs })) {
      named.push([`caller ${caller} ${name}`, value]);
    }
  }
  assert.equal(new Set(named.map(([name]) => name)).size, named.length);
  return new Map(named);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
