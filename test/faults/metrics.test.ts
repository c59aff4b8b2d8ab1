import assert from 'node:assert/strict';
import { Server } from 'node:net';
import { test } from 'node:test';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { checkMetrics } from '../rig/prometheus.ts';
import { untilRecorded } from '../support/aftermath.ts';
import { REFUSING_URL, startBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { swapRecord } from '../support/records.ts';
import { readScrape, scrape, sumOf, valueOf } from '../support/scrape.ts';
import { startJano, startJanoFor } from '../support/startJano.ts';

const CHAT = '/v1/chat/completions';

/** Asks for this model; gives the status. */
async function ask(url: string, model: string, caller = 'me'): Promise<number> {
  const body = JSON.stringify({ model });
  const init = { method: 'POST', body, headers: { 'x-caller': caller } };
  const response = await fetch(url + CHAT, init);
  await response.arrayBuffer();
  return response.status;
}

/** Histograms begin with what they first hold. */
function isAlwaysThere(series: string): boolean {
  return !/_(?:bucket|sum|count)\b/.test(series);
}

test('met-01: a misspelt model is no longer a series of its own, however many there are', async (t) => {
  const jano = await startJanoFor(t, await startBackend(t, (_req, res) => res.end('{}')));
  await ask(jano.url, 'none');
  const before = await scrape(jano);

  const statuses = new Set<number>();
  for (let index = 0; index < 1000; index += 50) {
    const names = Array.from({ length: 50 }, (_, more) => `m${index + more}`);
    const asked = names.map((name) => ask(jano.url, name));
    for (const status of await Promise.all(asked)) statuses.add(status);
  }
  await ask(jano.url, 'qwen');
  const after = await scrape(jano);

  assert.deepEqual([...statuses], [404]);
  assert.deepEqual(
    [...after.values.keys()].filter(isAlwaysThere),
    [...before.values.keys()].filter(isAlwaysThere),
  );
  assert.equal(valueOf(after, 'jano_requests_total{model="_other",outcome="rejected"}'), 1001);
  assert.equal(valueOf(after, 'jano_requests_total{model="qwen",outcome="served"}'), 1);
});

test('met-02: numbers of a backend that are none no longer spoil a counter for good', async (t) => {
  const odd = `{"usage":{"prompt_tokens":1e999,"completion_tokens":-5},
    "timings":{"predicted_n":1e999,"predicted_per_second":1e999,"prompt_per_second":-1}}`;
  const good = '{"usage":{"prompt_tokens":3,"completion_tokens":4}}';
  const answers = [odd, '{"usage":{"prompt_tokens":"7","completion_tokens":null}}', good];
  const jano = await startJanoFor(
    t,
    await startBackend(t, (_req, res) => res.end(answers.shift())),
  );

  for (let count = 0; count < 3; count++) await ask(jano.url, 'qwen');
  await untilRecorded(jano, 3);
  const told = await scrape(jano);

  assert.equal(valueOf(told, 'jano_tokens_total{model="qwen",type="input"}'), 3);
  assert.equal(valueOf(told, 'jano_tokens_total{model="qwen",type="output"}'), 4);
  for (const [series, value] of told.values) {
    if (/_(?:total|sum|count|bucket)\b/.test(series)) assert.ok(Number.isFinite(value), series);
  }
});

test('met-03: names with quotes, backslashes and any letters no longer cost the whole scrape', async (t) => {
  const names = ['q"u\\o\\nte', 'modèle/é:7b', '{a="b"} 1', 'null', 'undefined', '🚀'];
  const jano = await startJano(t, { models: names.map((name) => ({ name, url: REFUSING_URL })) });
  for (const name of names) {
    await ask(jano.url, 'none', encodeURIComponent(name));
    await openRaw(t, jano.port, `POST /x HTTP/1.1\r\nHost: jano\r\nX-Caller: ${name}\r\n\r\n`);
  }
  await untilRecorded(jano, 2 * names.length);

  const { text, values } = await scrape(jano);

  const verdict = await checkMetrics(t, text);
  if (verdict !== null) assert.deepEqual(verdict, { code: 0, output: '' });
  const written = names.map((name) => name.replaceAll('\\', '\\\\').replaceAll('"', '\\"'));
  for (const name of written) assert.ok(values.has(`jano_queue_depth{model="${name}"}`), name);
});

test('met-04: every name has its unit and _total once, as Prometheus and its collectors write them', async (t) => {
  const jano = await startJanoFor(t, await startBackend(t, (_req, res) => res.end('{}')));
  await ask(jano.url, 'qwen');
  await untilRecorded(jano, 1);

  const { types, text } = await scrape(jano);

  const without = [
    'jano_queue_depth',
    'jano_requests_in_flight',
    'jano_model_loaded',
    'jano_backend_up',
  ];
  for (const [name, type] of types) {
    assert.equal(name.endsWith('_total'), type === 'counter', name);
    assert.doesNotMatch(name, /_total_total|_seconds_seconds|_seconds_total/);
    if (type === 'histogram') assert.match(name, /_seconds$/);
    if (type === 'gauge' && !without.includes(name)) {
      assert.match(name, /_(?:seconds|bytes|tokens_per_second)$/);
    }
  }
  assert.doesNotMatch(text, /^# UNIT/m);
});

test('met-05: swaps of 0.4, 2, 31, 95 and 400 seconds are each in a bucket of their own', async () => {
  const telemetry = createTelemetry('test');
  for (const seconds of [0.4, 2, 31, 95, 400]) {
    telemetry.recorder.swapClosed(swapRecord({ startedAt: 0, endedAt: seconds * 1000 }));
  }

  const told = readScrape(await telemetry.scrape());
  await telemetry.shutdown();

  const bounds = [0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320, 640];
  const counts = bounds.map((bound) =>
    sumOf(told, 'jano_swap_duration_seconds_bucket', `le="${bound}"`),
  );
  assert.deepEqual(counts, [1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 5]);
});

test('met-10: the metrics no longer open a port of their own, so that a second Jano starts as well', async (t) => {
  const { mock } = t.mock.method(Server.prototype, 'listen');
  const janos = [await startJanoFor(t, REFUSING_URL), await startJanoFor(t, REFUSING_URL)];

  for (const jano of janos) {
    const odd = await openRaw(t, jano.port, 'GET http://[/metrics HTTP/1.1\r\nHost: jano\r\n\r\n');
    await odd.until((text) => text.startsWith('HTTP/1.1 '));
    await scrape(jano);
  }

  assert.equal(mock.callCount(), janos.length);
});
