import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from '../../src/core/ledger.ts';
import { requestRecord, swapRecord, usageOf } from '../support/records.ts';

test('each model has its sums: requests by outcome, tokens by type, what is not metered by reason', () => {
  const ledger = new Ledger(10, 0);

  const usage = usageOf({ inputTokens: 10, cachedTokens: 4, outputTokens: 7 });
  ledger.requestClosed(requestRecord({ usage }));
  ledger.requestClosed(requestRecord({ usage, outcome: 'abandoned', status: 499 }));
  ledger.requestClosed(requestRecord({ usage, outcome: 'cut' }));
  ledger.requestClosed(requestRecord({ unmetered: 'no_usage' }));
  ledger.requestClosed(requestRecord({ model: 'gemma', outcome: 'failed', status: 502 }));

  const { requests, tokens, unmetered } = ledger.totals.get('qwen') ?? {};
  assert.partialDeepStrictEqual(requests, { served: 2, abandoned: 1, cut: 1, failed: 0 });
  assert.deepEqual(tokens, { input: 30, output: 21, cached: 12 });
  assert.partialDeepStrictEqual(unmetered, { no_usage: 1, compressed: 0 });
  assert.equal(ledger.totals.get('gemma')?.requests.failed, 1);
});

test('requests that no model could be told of have sums, too', () => {
  const ledger = new Ledger(10, 0);

  ledger.requestClosed(requestRecord({ model: null, outcome: 'rejected', status: 404 }));

  assert.equal(ledger.totals.get(null)?.requests.rejected, 1);
  assert.equal(ledger.health.size, 0);
});

test('numbers that are none spoil no sum and no mean', () => {
  const ledger = new Ledger(10, 0);

  for (const odd of [NaN, Infinity, -Infinity, -5, 1.5, 2 ** 60]) {
    const usage = usageOf({
      inputTokens: odd,
      outputTokens: odd,
      cachedTokens: odd,
      outputRateSource: 'backend',
      outputTokensPerSecond: odd === 1.5 ? 0 : odd,
      inputTokensPerSecond: odd === 1.5 ? null : odd,
    });
    ledger.requestClosed(requestRecord({ usage }));
  }

  const totals = ledger.totals.get('qwen');
  assert.deepEqual(totals?.tokens, { input: 0, output: 0, cached: 0 });
  assert.deepEqual(ledger.callers.all[0]?.tokens, { input: 0, output: 0, cached: 0 });
  assert.deepEqual([totals.outputRates.mean, totals.inputRates.mean], [null, null]);
  assert.deepEqual([ledger.outputRates.mean, ledger.inputRates.mean], [null, null]);
  assert.equal(ledger.outputTokensLastMinute.total(5000), 0);
});

test('a speed is the mean of the newest 30 that backends measured; what was only watched is not in it', () => {
  const ledger = new Ledger(10, 0);
  const answer = (outputTokensPerSecond: number, outputRateSource: 'backend' | 'observed'): void =>
    ledger.requestClosed(
      requestRecord({ usage: usageOf({ outputTokensPerSecond, outputRateSource }) }),
    );

  for (let count = 0; count < 10; count++) answer(1000, 'backend');
  for (let count = 0; count < 15; count++) answer(20, 'backend');
  for (let count = 0; count < 15; count++) answer(40, 'backend');
  answer(1, 'observed');

  assert.equal(ledger.outputRates.mean, 30);
  assert.equal(ledger.totals.get('qwen')?.outputRates.mean, 30);
});

test('swaps are counted by what left, what came and how it ended', () => {
  const ledger = new Ledger(10, 0);

  for (const from of [[], ['gemma'], ['gemma'], ['gemma', 'phi'], ['phi', 'gemma']]) {
    ledger.swapClosed(swapRecord({ from }));
  }
  ledger.swapClosed(swapRecord({ outcome: 'timeout', error: 'it took too long' }));

  const inShort = [...ledger.swapCounts].map(({ from, to, outcome, count }) =>
    [from, to, outcome, count].join(' '),
  );
  assert.deepEqual(inShort, [
    'none qwen ok 1',
    'gemma qwen ok 2',
    'several qwen ok 2',
    'gemma qwen timeout 1',
  ]);
  assert.deepEqual([ledger.swapsTotal, ledger.swapFailuresTotal], [5, 1]);
});

test('failed and cut requests and failed swaps are errors, the others are not', () => {
  const ledger = new Ledger(10, 0);

  for (const outcome of ['served', 'refused', 'rejected', 'abandoned'] as const) {
    ledger.requestClosed(requestRecord({ outcome }));
  }
  const none = ledger.lastError;
  ledger.requestClosed(requestRecord({ outcome: 'cut', error: 'it broke' }));
  ledger.requestClosed(requestRecord({ outcome: 'failed', status: 500 }));
  const ofRequest = ledger.lastError;
  ledger.swapClosed(swapRecord({ outcome: 'script_failed', error: 'no such file' }));

  assert.equal(none, null);
  assert.deepEqual(ofRequest, { at: 5000, model: 'qwen', message: 'status 500' });
  assert.deepEqual(ledger.lastError, { at: 3000, model: 'qwen', message: 'no such file' });
  assert.equal(ledger.errorsLastQuarter.total(5000), 3);
});

test('a clock that is set back makes no length negative', () => {
  const ledger = new Ledger(10, 0);
  const steppedBack = {
    arrivedAt: 9000,
    dispatchedAt: 8000,
    firstTokenAt: 7000,
    lastEventAt: 6000,
  };

  ledger.requestClosed(requestRecord(steppedBack));
  ledger.swapClosed(swapRecord({ startedAt: 9000 }));

  const [anna] = ledger.callers.all;
  assert.deepEqual([anna?.queueMs, anna?.generationMs], [0, 0]);
  assert.equal(ledger.swapMsLastHour.total(9000), 0);
});
