import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Outcome } from '../../src/core/record.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { REFUSING_URL, startBackend } from '../support/fakeBackend.ts';
import { requestRecord, swapRecord, usageOf } from '../support/records.ts';
import { readScrape, type Scrape, scrape, valueOf } from '../support/scrape.ts';
import { type RunningJano, startJano, startJanoFor } from '../support/startJano.ts';

const OUTCOMES: readonly Outcome[] = [
  'served',
  'refused',
  'failed',
  'cut',
  'rejected',
  'abandoned',
];
const TYPES = ['input', 'output', 'cached'];
const REASONS = ['no_usage', 'unreadable', 'compressed', 'too_large', 'not_json'];
const SWAP_OUTCOMES = ['ok', 'script_failed', 'timeout'];

/** Jano with two models that take turns and one that is always there; nothing has happened yet. */
function startThree(t: TestContext): Promise<RunningJano> {
  const url = REFUSING_URL;
  return startJano(t, {
    models: [
      { name: 'a', url },
      { name: 'b', url },
      { name: 'p', url, pinned: true },
    ],
  });
}

/** All that is told at once: of the histograms only that of swaps. */
function seriesAtStart(): string[] {
  const models = ['a', 'b', 'p'];
  const swaps = ['none', 'a', 'b'].map((from) => `from="${from}",to="a"`);
  const back = ['none', 'a', 'b'].map((from) => `from="${from}",to="b"`);
  const gauges = `jano_queue_depth jano_requests_in_flight jano_model_loaded jano_backend_up
    jano_generation_rate_tokens_per_second jano_prompt_rate_tokens_per_second`;
  return [
    ...[...models, '_other'].flatMap((model) =>
      both('jano_requests_total', `model="${model}"`, 'outcome', OUTCOMES),
    ),
    ...models.flatMap((model) => both('jano_tokens_total', `model="${model}"`, 'type', TYPES)),
    ...models.flatMap((model) =>
      both('jano_unmetered_total', `model="${model}"`, 'reason', REASONS),
    ),
    ...[...swaps, ...back].flatMap((pair) =>
      both('jano_swaps_total', pair, 'outcome', SWAP_OUTCOMES),
    ),
    'jano_swaps_arrival_order_total',
    'jano_caller_requests_total{caller="_other"}',
    ...both('jano_caller_tokens_total', 'caller="_other"', 'type', TYPES),
    ...gauges.split(/\s+/).flatMap((name) => each(name, models, 'model')),
    ...['a', 'b'].flatMap((to) => {
      const labels = `model="${to}",outcome="ok"`;
      const buckets = SWAP.split(' ').map((bound) => `bucket{${labels},le="${bound}"}`);
      const parts = [...buckets, `sum{${labels}}`, `count{${labels}}`];
      return parts.map((part) => `jano_swap_duration_seconds_${part}`);
    }),
    'jano_queue_oldest_age_seconds',
    'jano_uptime_seconds',
    'nodejs_eventloop_lag_seconds',
    'process_resident_memory_bytes',
  ];
}

test('the first scrape has every counter at 0, every gauge and the swaps to each model, by the names of the design', async (t) => {
  const jano = await startThree(t);

  const { values, types } = await scrape(jano);

  assert.deepEqual([...values.keys()].toSorted(), seriesAtStart().toSorted());
  for (const [series, value] of values) {
    const name = series.replace(/\{.*/, '');
    if (name.startsWith('jano_swap_duration')) {
      assert.equal(types.get('jano_swap_duration_seconds'), 'histogram');
      assert.equal(value, 0, series);
      continue;
    }
    assert.equal(types.get(name), name.endsWith('_total') ? 'counter' : 'gauge', name);
    if (types.get(name) === 'counter') assert.equal(value, 0, series);
  }
});

test('a swap joins the empty series of the others, and one that failed leaves its own empty', async (t) => {
  const jano = await startThree(t);
  const telemetry = createTelemetry('test');
  telemetry.observe(() => jano.snapshot());
  telemetry.recorder.swapClosed(swapRecord({ to: 'a', outcome: 'script_failed' }));

  const failed = readScrape(await telemetry.scrape());
  telemetry.recorder.swapClosed(swapRecord({ to: 'a' }));
  const mended = readScrape(await telemetry.scrape());
  await telemetry.shutdown();

  const counts = [failed, mended].map((told) =>
    ['a",outcome="script_failed', 'a",outcome="ok', 'b",outcome="ok'].map((labels) =>
      valueOf(told, `jano_swap_duration_seconds_count{model="${labels}"}`),
    ),
  );
  assert.deepEqual(counts, [
    [1, 0, 0],
    [1, 1, 0],
  ]);
  assert.equal(mended.text.match(/# TYPE jano_swap_duration_seconds /g)?.length, 1);
});

test('what is unknown is NaN, and nothing else is', async (t) => {
  const jano = await startThree(t);

  const { values } = await scrape(jano);

  const unknown = [...values].filter(([, value]) => !Number.isFinite(value));
  const names = `jano_backend_up jano_generation_rate_tokens_per_second
    jano_prompt_rate_tokens_per_second`;
  // A pinned model's health is asked at the start.
  const expected = names
    .split(/\s+/)
    .flatMap((name) => ['a', 'b', 'p'].map((model) => `${name}{model="${model}"}`))
    .filter((series) => series !== 'jano_backend_up{model="p"}');
  assert.deepEqual(unknown.map(([series]) => series).toSorted(), expected.toSorted());
});

function each(name: string, values: readonly string[], label: string): string[] {
  return values.map((value) => `${name}{${label}="${value}"}`);
}

function both(name: string, first: string, label: string, values: readonly string[]): string[] {
  return values.map((value) => `${name}{${first},${label}="${value}"}`);
}

/** The upper bounds of a histogram's buckets; fails the test if these labels are not its own. */
function bucketsOf({ values, types }: Scrape, name: string, labels: string): string[] {
  assert.equal(types.get(name), 'histogram', name);
  const start = `${name}_bucket{${labels}${labels === '' ? '' : ','}le="`;
  const count = labels === '' ? `${name}_count` : `${name}_count{${labels}}`;
  assert.ok(values.has(count), count);
  return [...values.keys()].flatMap((series) =>
    series.startsWith(start) ? [series.slice(start.length, -2)] : [],
  );
}

const SWAP = '0.5 1 2 5 10 20 40 80 160 320 640 +Inf';
const WAIT = '0.001 0.01 0.1 0.5 1 2 5 10 20 40 80 160 320 640 +Inf';
const GEN_AI = 'gen_ai_request_model="qwen",gen_ai_operation_name="chat"';

test('lengths of time are histograms in seconds that reach from a millisecond to minutes', async () => {
  const telemetry = createTelemetry('test');
  const rate = { outputTokens: 9, outputTokensPerSecond: 50 };
  telemetry.recorder.requestClosed(requestRecord({ usage: usageOf(rate) }));
  telemetry.recorder.swapClosed(swapRecord());

  const told = readScrape(await telemetry.scrape());
  await telemetry.shutdown();

  const buckets = (name: string, labels: string): string => bucketsOf(told, name, labels).join(' ');
  assert.equal(buckets('jano_swap_duration_seconds', 'model="qwen",outcome="ok"'), SWAP);
  assert.equal(buckets('jano_queue_wait_duration_seconds', 'model="qwen"'), WAIT);
  assert.equal(buckets('jano_swap_wait_duration_seconds', 'model="qwen"'), WAIT);
  assert.match(buckets('gen_ai_server_request_duration_seconds', GEN_AI), /^0.01 .* 640 \+Inf$/);
  assert.match(buckets('gen_ai_server_time_to_first_token_seconds', GEN_AI), /^0.001 .* 320 /);
  assert.match(buckets('gen_ai_server_time_per_output_token_seconds', GEN_AI), /^0.001 .* 10 /);
  assert.match(buckets('jano_router_overhead_seconds', ''), /^0.0001 .* 1 \+Inf$/);
  assert.equal(told.types.size, 7);
});

test('each length of time is what the record says', async () => {
  const telemetry = createTelemetry('test');
  const rate = { outputTokens: 9, outputTokensPerSecond: 50 };
  telemetry.recorder.requestClosed(requestRecord({ usage: usageOf(rate), swapMs: 400 }));
  telemetry.recorder.swapClosed(swapRecord());

  const told = readScrape(await telemetry.scrape());
  await telemetry.shutdown();

  const sum = (name: string, labels: string): number => valueOf(told, `${name}_sum${labels}`);
  assert.equal(sum('jano_queue_wait_duration_seconds', '{model="qwen"}'), 1);
  assert.equal(sum('jano_swap_wait_duration_seconds', '{model="qwen"}'), 0.4);
  assert.equal(sum('jano_swap_duration_seconds', '{model="qwen",outcome="ok"}'), 2);
  assert.equal(sum('jano_router_overhead_seconds', ''), 0.001);
  assert.equal(sum('gen_ai_server_request_duration_seconds', `{${GEN_AI}}`), 4);
  assert.equal(sum('gen_ai_server_time_to_first_token_seconds', `{${GEN_AI}}`), 1);
  assert.equal(sum('gen_ai_server_time_per_output_token_seconds', `{${GEN_AI}}`), 0.02);
});

test('what a request has not come to is in no histogram', async () => {
  const telemetry = createTelemetry('test');
  const { recorder } = telemetry;
  recorder.requestClosed(requestRecord({ dispatchedAt: null, outcome: 'rejected' }));
  recorder.requestClosed(requestRecord({ model: null, dispatchedAt: null }));
  recorder.requestClosed(requestRecord({ operation: null }));
  recorder.requestClosed(requestRecord({ firstTokenAt: null, lastEventAt: null }));

  const told = readScrape(await telemetry.scrape());
  await telemetry.shutdown();

  const counts = [...told.values].filter(([series]) => series.includes('_count'));
  assert.deepEqual(counts, [
    ['jano_queue_wait_duration_seconds_count{model="qwen"}', 2],
    ['jano_swap_wait_duration_seconds_count{model="qwen"}', 2],
    [`gen_ai_server_request_duration_seconds_count{${GEN_AI}}`, 1],
    ['jano_router_overhead_seconds_count', 2],
  ]);
});

test('what runs and waits is in the gauges, and gone from them when it is over', async (t) => {
  const held = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const url = await startBackend(t, async (_req, res) => {
    reached.resolve();
    await held.promise;
    res.end('{}');
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });
  const post = () => fetch(`${jano.url}/x`, { method: 'POST' }).then((reply) => reply.text());
  const first = post();
  await reached.promise;
  const second = post();
  while (jano.snapshot().waiting.length === 0) await new Promise(setImmediate);

  const busy = await scrape(jano);
  held.resolve();
  await Promise.all([first, second]);
  while (jano.snapshot().running.length > 0) await new Promise(setImmediate);
  const idle = await scrape(jano);

  const gauges = ['jano_queue_depth{model="qwen"}', 'jano_requests_in_flight{model="qwen"}'];
  assert.deepEqual(
    gauges.map((series) => valueOf(busy, series)),
    [1, 1],
  );
  assert.ok(valueOf(busy, 'jano_queue_oldest_age_seconds') > 0);
  assert.deepEqual(
    gauges.map((series) => valueOf(idle, series)),
    [0, 0],
  );
  assert.equal(valueOf(idle, 'jano_queue_oldest_age_seconds'), 0);
  assert.equal(valueOf(idle, 'jano_model_loaded{model="qwen"}'), 1);
  assert.equal(valueOf(idle, 'jano_backend_up{model="qwen"}'), 1);
});
