import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Callers, type CallerTotals } from '../../src/core/callers.ts';
import { requestRecord, swapRecord, usageOf } from '../support/records.ts';

test('a caller has its sums, and was last seen when the newest of its requests ended', () => {
  const callers = new Callers();
  const usage = usageOf({ inputTokens: 10, cachedTokens: 4, outputTokens: 7 });

  callers.requestClosed(requestRecord({ usage }));
  callers.requestClosed(requestRecord({ usage, outcome: 'cut', endedAt: 6000 }));
  callers.requestClosed(requestRecord({ outcome: 'failed', firstTokenAt: null, endedAt: 7000 }));
  callers.requestClosed(requestRecord({ outcome: 'rejected', dispatchedAt: null, endedAt: 8000 }));
  callers.swapClosed(swapRecord());
  callers.swapClosed(swapRecord({ endedAt: 9000, outcome: 'timeout' }));

  assert.deepEqual(callers.all.map(plain), [
    {
      caller: 'anna',
      requests: 4,
      served: 1,
      failed: 2,
      tokens: { input: 20, output: 14, cached: 8 },
      generationMs: 4500,
      queueMs: 1000 + 1000 + 1000 + 7000,
      swapsCaused: 2,
      lastSeenAt: 9000,
    },
  ]);
});

test('a swap that nobody waited for was caused by nobody', () => {
  const callers = new Callers();

  callers.swapClosed(swapRecord({ cause: { requestId: null, caller: null, why: 'preload' } }));

  assert.deepEqual([callers.all, callers.labelled], [[], []]);
});

test('10,000 callers keep the table bounded: who was longest away goes into _other, at its end', () => {
  const callers = new Callers();

  for (let id = 1; id <= 10_000; id++) {
    callers.requestClosed(requestRecord({ id, caller: `caller ${id}`, endedAt: 5000 + id }));
    if (id % 100 === 0) callers.requestClosed(requestRecord({ caller: 'regular', endedAt: id }));
  }

  const { all } = callers;
  assert.equal(all.length, 1001);
  assert.deepEqual(
    all.slice(0, 2).map(({ caller }) => caller),
    ['regular', 'caller 10000'],
  );
  assert.equal(all.find(({ caller }) => caller === 'regular')?.requests, 100);
  const last = all.at(-1);
  assert.deepEqual([last?.caller, last?.requests], ['_other', 10_000 - 999]);
  assert.equal(last?.lastSeenAt, 5000 + 10_000 - 999);
});

test('a caller that calls itself _other is one of the others, in the table and in the metrics', () => {
  const callers = new Callers();

  for (let id = 1; id <= 2000; id++) {
    callers.requestClosed(requestRecord({ caller: id % 2 === 0 ? '_other' : `caller ${id}` }));
  }
  callers.requestClosed(requestRecord({ caller: '__proto__' }));

  for (const rows of [callers.all, callers.labelled]) {
    const names = rows.map(({ caller }) => caller);
    assert.equal(new Set(names).size, names.length);
    assert.equal(names.at(-1), '_other');
    assert.equal(
      sumOf(rows, ({ requests }) => requests),
      2001,
    );
  }
});

test('the first 20 callers keep their label in metrics, also after the table has forgotten them', () => {
  const callers = new Callers();
  const ask = (name: number): void => callers.requestClosed(requestRecord({ caller: `${name}` }));

  for (let name = 1; name <= 21; name++) ask(name);
  const before = callers.labelled.map(({ caller }) => caller);
  for (let name = 22; name <= 5000; name++) ask(name);
  ask(1);

  assert.deepEqual(before, [...Array.from({ length: 20 }, (_, at) => `${at + 1}`), '_other']);
  assert.deepEqual(
    callers.labelled.map(({ caller }) => caller),
    before,
  );
  assert.deepEqual(
    callers.labelled.map(({ requests }) => requests),
    [2, ...Array.from({ length: 19 }, () => 1), 5000 - 20],
  );
  assert.equal(callers.all[0]?.requests, 1);
});

function plain({ ...totals }: CallerTotals): CallerTotals {
  return totals;
}

function sumOf(rows: readonly CallerTotals[], of: (row: CallerTotals) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0);
}
