import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { readStatus, untilWaiting } from '../machine/statusView.ts';
import { startLlamaRig } from '../rig/llamaRig.ts';
import { until } from '../rig/polling.ts';
import { checkMetrics, startPrometheus } from '../rig/prometheus.ts';
import { scrape } from '../support/scrape.ts';
import { startJanoOn } from './rigJano.ts';
import { openStream, stream } from './streaming.ts';

const MODELS = { chat: { kind: 'chat' }, code: { kind: 'chat' } } as const;

/** Large enough to speak for some seconds when it is not to stop. */
const SLOW = { kind: 'chat', embeddingLength: 128, layers: 8 } as const;

/** What the queries are compared with. */
const status = z.object({
  requestsServedTotal: z.number(),
  tokensGeneratedTotal: z.number(),
  promptTokensTotal: z.number(),
  swapsTotal: z.number(),
  swapsAvoided: z.number(),
  requestsByModel: z.record(z.string(), z.number()),
  tokensByModel: z.record(z.string(), z.number()),
  tokSByModel: z.record(z.string(), z.number()),
});

test('a real Prometheus that scrapes Jano under traffic answers with the numbers of /status', async (t) => {
  const rig = await startLlamaRig(t, { models: MODELS });
  if (rig === null) return;
  const jano = await startJanoOn(t, rig, ['chat', 'code'], 'chat');
  const prometheus = await startPrometheus(t, jano.url);
  if (prometheus === null) return;
  const untilAnswer = (query: string, value: number): Promise<void> =>
    until(`${query} is ${value}`, async () => (await prometheus.ask(query)) === value);

  await untilAnswer('up{job="jano"}', 1);
  const names = ['chat', 'code', 'chat', 'code', 'chat', 'chat'] as const;
  await Promise.all(names.map((model) => stream(jano, model)));
  const told = status.parse(await (await fetch(`${jano.url}/status`)).json());

  assert.ok(told.swapsTotal > 0 && told.tokensGeneratedTotal > 0);
  await untilAnswer('sum(jano_requests_total{outcome="served"})', names.length);
  const { ask } = prometheus;
  assert.equal(await ask('sum(jano_tokens_total{type="output"})'), told.tokensGeneratedTotal);
  assert.equal(await ask('sum(jano_tokens_total{type="input"})'), told.promptTokensTotal);
  assert.equal(await ask('sum(jano_swaps_total{outcome="ok"})'), told.swapsTotal);
  const saved = 'jano_swaps_arrival_order_total - on() sum(jano_swaps_total{outcome="ok"})';
  assert.equal(await ask(saved), told.swapsAvoided);
  assert.equal(await ask('sum(jano_queue_depth) + sum(jano_requests_in_flight)'), 0);
  for (const model of ['chat', 'code']) {
    const one = `{model="${model}",outcome="served"}`;
    assert.equal(await ask(`jano_requests_total${one}`), told.requestsByModel[model]);
    const rate = await ask(`jano_generation_rate_tokens_per_second{model="${model}"}`);
    assert.equal(Math.round(Number(rate) * 10) / 10, told.tokSByModel[model]);
  }
  const name = 'gen_ai_server_request_duration_seconds';
  assert.equal(await ask(`sum(${name}_count{gen_ai_operation_name="chat"})`), names.length);
  assert.ok(Number(await ask(`histogram_quantile(0.95, sum by (le) (${name}_bucket))`)) > 0);
});

test('a real Prometheus answers every query that the README shows', async (t) => {
  const rig = await startLlamaRig(t, { models: MODELS });
  if (rig === null) return;
  const jano = await startJanoOn(t, rig, ['chat', 'code'], 'chat');
  const prometheus = await startPrometheus(t, jano.url);
  if (prometheus === null) return;
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');
  const [, table = ''] = /^\| question .*\n((?:\|.*\n)+)/m.exec(readme) ?? [];
  const queries = [...table.matchAll(/`([^`]+)`/g)].map(([, query = '']) => query);

  await Promise.all(['chat', 'code'].map((model) => stream(jano, model)));

  assert.ok(queries.length >= 8);
  for (const query of queries) {
    await until(query, async () => (await prometheus.ask(query)) !== null);
  }
});

test('a real Prometheus sees the queue while it is there, and that it is gone', async (t) => {
  const rig = await startLlamaRig(t, {
    models: { chat: SLOW, code: SLOW },
    args: '-c 16384 -np 1',
  });
  if (rig === null) return;
  const jano = await startJanoOn(t, rig, ['chat', 'code'], 'chat');
  const prometheus = await startPrometheus(t, jano.url);
  if (prometheus === null) return;
  const untilAnswer = (query: string, value: number): Promise<void> =>
    until(`${query} is ${value}`, async () => (await prometheus.ask(query)) === value);
  const callers = new AbortController();

  const asked = ['chat', 'code', 'code'].map((model) =>
    openStream(jano, model, { ignore_eos: true }, callers.signal),
  );
  await untilWaiting(jano, 2);
  await untilAnswer('jano_queue_depth{model="code"}', 2);
  await untilAnswer('jano_requests_in_flight{model="chat"}', 1);
  callers.abort();
  await Promise.allSettled(asked);

  await untilAnswer('sum(jano_queue_depth) + sum(jano_requests_in_flight)', 0);
  await untilAnswer('sum(jano_requests_total{outcome="abandoned"})', 3);
  assert.equal((await readStatus(jano)).inFlight, 0);
});

test('promtool finds nothing wrong with the metrics of real answers', async (t) => {
  const rig = await startLlamaRig(t, { models: MODELS });
  if (rig === null) return;
  const jano = await startJanoOn(t, rig, ['chat', 'code'], 'chat');
  await Promise.all(['chat', 'code'].map((model) => stream(jano, model)));

  const verdict = await checkMetrics(t, (await scrape(jano)).text);

  if (verdict !== null) assert.deepEqual(verdict, { code: 0, output: '' });
});
