import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { REFUSING_URL } from '../support/fakeBackend.ts';
import { requestRecord, swapRecord, usageOf } from '../support/records.ts';
import { readScrape, scrape, sumOf, valueOf } from '../support/scrape.ts';
import { type RunningJano, startJano } from '../support/startJano.ts';
import { createTelemetry, type Telemetry } from '../../src/telemetry/telemetry.ts';
import type { Recorder } from '../../src/core/record.ts';

/** Jano whose write point the test gets, to report more than could ever be asked in its time. */
async function startReported(
  t: TestContext,
  names: readonly string[],
): Promise<{ jano: RunningJano; report: Recorder }> {
  const telemetry = createTelemetry('test');
  const models = names.map((name) => ({ name, url: REFUSING_URL }));
  const jano = await startJano(t, { models, usage: { records: 100 } }, undefined, { telemetry });
  return { jano, report: both(jano.snapshot().ledger, telemetry) };
}

function both(ledger: Recorder, { recorder }: Telemetry): Recorder {
  return {
    ...recorder,
    requestClosed(record) {
      ledger.requestClosed(record);
      recorder.requestClosed(record);
    },
    swapClosed(record) {
      ledger.swapClosed(record);
      recorder.swapClosed(record);
    },
  };
}

test('10,000 callers leave the scrape as large as the first 20 do', async (t) => {
  const { jano, report } = await startReported(t, ['qwen']);
  const usage = usageOf({ inputTokens: 2, outputTokens: 3 });
  const ask = (index: number): void =>
    report.requestClosed(requestRecord({ id: index, caller: `caller ${index}`, usage }));
  for (let index = 0; index < 20; index++) ask(index);

  const before = await scrape(jano);
  for (let index = 20; index < 10_000; index++) ask(index);
  const after = await scrape(jano);

  assert.deepEqual([...after.values.keys()], [...before.values.keys()]);
  assert.equal(valueOf(after, 'jano_caller_requests_total{caller="_other"}'), 9980);
  assert.equal(sumOf(after, 'jano_caller_requests_total'), 10_000);
  assert.equal(sumOf(after, 'jano_caller_tokens_total', 'type="output"'), 30_000);
});

test('a model, and a caller, that are called as the others are lose nothing and hide nobody', async (t) => {
  const { jano, report } = await startReported(t, ['_other', 'none', 'several', 'x']);
  report.requestClosed(requestRecord({ model: '_other', caller: '_other' }));
  report.requestClosed(requestRecord({ model: null, dispatchedAt: null }));
  report.swapClosed(swapRecord({ from: ['none'], to: 'x' }));
  report.swapClosed(swapRecord({ from: [], to: 'x' }));

  const told = await scrape(jano);

  assert.equal(valueOf(told, 'jano_requests_total{model="_other",outcome="served"}'), 2);
  assert.equal(valueOf(told, 'jano_swaps_total{from="none",to="x",outcome="ok"}'), 2);
  assert.equal(sumOf(told, 'jano_caller_requests_total'), 2);
});

test('60 models that take turns are all told, though the SDK keeps no more than 2000 series', async (t) => {
  const names = Array.from({ length: 60 }, (_, index) => `m${index}`);
  const { jano, report } = await startReported(t, names);
  report.swapClosed(swapRecord({ from: ['m58'], to: 'm59' }));

  const told = await scrape(jano);

  assert.equal(sumOf(told, 'jano_swaps_total'), 1);
  assert.doesNotMatch(told.text, /overflow/);
});

test('no counter and no histogram ever goes down, over 600 swaps and 10,000 requests', async (t) => {
  const { jano, report } = await startReported(t, ['qwen', 'gemma']);
  const outcomes = ['ok', 'ok', 'script_failed', 'timeout'] as const;
  let last = await scrape(jano);
  for (let round = 0; round < 20; round++) {
    for (let id = 0; id < 500; id++) {
      const usage = id % 3 === 0 ? null : usageOf({ inputTokens: id, outputTokens: id % 7 });
      const [model, dispatchedAt] = id % 50 === 0 ? [null, null] : ['qwen', 2000];
      report.requestClosed(requestRecord({ id, model, dispatchedAt, usage, caller: `c${id}` }));
    }
    for (let id = 0; id < 30; id++)
      report.swapClosed(swapRecord({ id, outcome: outcomes[id % 4] ?? 'ok' }));
    const now = await scrape(jano);
    for (const [series, value] of last.values) {
      if (isSum(now.types, series)) assert.ok(valueOf(now, series) >= value, series);
    }
    last = now;
  }

  assert.equal(sumOf(last, 'jano_requests_total'), 10_000);
  assert.equal(sumOf(last, 'jano_swaps_total'), 600);
  assert.equal(sumOf(last, 'jano_swap_duration_seconds_count'), 600);
  assert.equal(sumOf(last, 'jano_queue_wait_duration_seconds_count'), 9800);
});

function isSum(types: ReadonlyMap<string, string>, series: string): boolean {
  const name = series.replace(/\{.*/, '');
  return types.get(name) !== 'gauge';
}

test('names of models and callers may hold quotes, backslashes and any letters', async (t) => {
  const names = ['q"u\\o', 'modèle/é:7b 🚀', 'it\'s {a="b"}, 1'];
  const { jano, report } = await startReported(t, names);
  for (const model of names) report.requestClosed(requestRecord({ model, caller: model }));

  const told = readScrape((await scrape(jano)).text);

  const written = names.map((name) => name.replaceAll('\\', '\\\\').replaceAll('"', '\\"'));
  for (const name of written) {
    assert.equal(valueOf(told, `jano_requests_total{model="${name}",outcome="served"}`), 1);
    assert.equal(valueOf(told, `jano_caller_requests_total{caller="${name}"}`), 1);
  }
});
