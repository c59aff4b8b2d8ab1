import assert from 'node:assert/strict';
import { test } from 'node:test';
import supertest from 'supertest';
import { untilRecorded, untilShown } from '../support/aftermath.ts';
import { type Answer, startBackend } from '../support/fakeBackend.ts';
import { swapRecord } from '../support/records.ts';
import { startJano, startJanoFor } from '../support/startJano.ts';

const PUBLISHED = `ok currentModel currentModelLoadedAt queueDepth queueByModel inFlight oldestWaitingMs
  lastSwapDurationMs swapsLast15m swapsLastHour recentGenTokS recentPromptTokS tokSByModel uptimeSeconds
  requestsServedTotal requestsByModel tokensGeneratedTotal tokensByModel promptTokensTotal
  requestsPerMinute errorsLast15m lastError backendHealth`;
const BEYOND = `loadedModels inFlightByModel tokensLastMinute throughputLastMinuteTokS swap waiting running
  swapsTotal swapFailuresTotal swapsAvoided swapTimeShareLastHour unmeteredTotal`;

const MINUTE_MS = 60_000;

const answerWithTimings: Answer = (_req, res) => {
  res.setHeader('content-type', 'application/json');
  res.end(
    '{"timings":{"prompt_n":100,"cache_n":20,"predicted_n":60,"predicted_per_second":40.04}}',
  );
};

test('/status has every name that is published, each model in every object of models', async (t) => {
  const [url, other] = await Promise.all([0, 1].map(() => startBackend(t, answerWithTimings)));
  const models = [
    { name: 'qwen', url, pinned: true, parallel: 1 },
    { name: 'gemma', url: other, pinned: true, parallel: 1 },
  ];
  const jano = await startJano(t, { models });

  await chat(jano.url, '{"model":"gemma"}');
  await untilRecorded(jano, 1);
  const { body } = await supertest(jano.server).get('/status').expect(200);

  assert.deepEqual(Object.keys(body), `${PUBLISHED} ${BEYOND}`.split(/\s+/));
  assert.partialDeepStrictEqual(body, {
    queueByModel: { qwen: 0, gemma: 0 },
    inFlightByModel: { qwen: 0, gemma: 0 },
    tokSByModel: { qwen: null, gemma: 40 },
    requestsByModel: { qwen: 0, gemma: 1 },
    tokensByModel: { qwen: 0, gemma: 60 },
    backendHealth: { qwen: 'up', gemma: 'up' },
    promptTokensTotal: 120,
    tokensLastMinute: 60,
    throughputLastMinuteTokS: 1,
  });
});

test('tokens count also of an answer that was abandoned, once they were seen', async (t) => {
  const url = await startBackend(t, (_req, res) => {
    res.setHeader('content-type', 'text/event-stream');
    res.write('data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}\n\n');
  });
  const jano = await startJanoFor(t, url);
  const caller = new AbortController();

  const response = await fetch(`${jano.url}/v1/chat/completions`, {
    method: 'POST',
    body: '{}',
    signal: caller.signal,
  });
  await response.body?.getReader().read();
  caller.abort();
  await untilRecorded(jano, 1);
  const { body } = await supertest(jano.server).get('/status').expect(200);

  assert.equal(jano.snapshot().ledger.requests.newest()[0]?.outcome, 'abandoned');
  assert.deepEqual([body.promptTokensTotal, body.tokensGeneratedTotal], [7, 3]);
  assert.deepEqual([body.requestsServedTotal, body.tokensLastMinute], [0, 3]);
});

test('what counts for a while is forgotten after it, what counts since the start is not', async (t) => {
  const clock = { now: Date.parse('2026-05-04T12:00:00Z') };
  const url = await startBackend(t, answerWithTimings);
  const raw = { models: [{ name: 'qwen', url, pinned: true, parallel: 1 }] };
  const jano = await startJano(t, raw, undefined, { now: () => clock.now });
  await chat(jano.url);
  await untilRecorded(jano, 1);

  const look = async (): Promise<unknown[]> => {
    const { body } = await supertest(jano.server).get('/status').expect(200);
    const { requestsPerMinute, tokensLastMinute, tokensGeneratedTotal, uptimeSeconds } = body;
    return [requestsPerMinute, tokensLastMinute, tokensGeneratedTotal, uptimeSeconds];
  };
  const atOnce = await look();
  clock.now += 2 * MINUTE_MS;
  const later = await look();
  clock.now -= 10 * MINUTE_MS;
  const setBack = await look();

  assert.deepEqual(atOnce, [1, 60, 60, 0]);
  assert.deepEqual(later, [0, 0, 60, 120]);
  assert.deepEqual(setBack, [0, 0, 60, 0]);
});

test('swaps count for a quarter of an hour and for an hour, the last one stays', async (t) => {
  const clock = { now: Date.parse('2026-05-04T12:00:00Z') };
  const url = await startBackend(t, answerWithTimings);
  const raw = { models: [{ name: 'qwen', url, parallel: 1 }] };
  const jano = await startJano(t, raw, undefined, { now: () => clock.now });
  const times = { startedAt: clock.now - 2500, endedAt: clock.now };
  jano.snapshot().ledger.swapClosed(swapRecord(times));
  jano.snapshot().ledger.swapClosed(swapRecord({ ...times, outcome: 'timeout', error: 'slow' }));

  const seen: unknown[][] = [];
  for (const minutes of [0, 20, 60]) {
    clock.now += minutes * MINUTE_MS;
    const { body } = await supertest(jano.server).get('/status').expect(200);
    const { swapsLast15m, swapsLastHour, errorsLast15m, lastSwapDurationMs, swapsTotal } = body;
    seen.push([swapsLast15m, swapsLastHour, errorsLast15m, lastSwapDurationMs, swapsTotal]);
  }

  assert.deepEqual(seen, [
    [1, 1, 1, 2500, 1],
    [0, 1, 0, 2500, 1],
    [0, 0, 0, 2500, 1],
  ]);
});

test('of more than a hundred that wait a hundred are listed, and all are counted', async (t) => {
  const { promise, resolve: free } = Promise.withResolvers<void>();
  const url = await startBackend(t, async (_req, res) => {
    await promise;
    res.end();
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 120 });
  const asked = Array.from({ length: 240 }, () => chat(jano.url));
  await untilShown(jano, ({ waiting, running }) => waiting.length + running.length === 240);

  const { body } = await supertest(jano.server).get('/status').expect(200);
  free();
  await Promise.all(asked);

  assert.deepEqual([body.inFlight, body.queueDepth], [120, 120]);
  assert.deepEqual([body.running.length, body.waiting.length], [100, 100]);
  assert.equal(body.waiting.at(-1).position, 100);
});

async function chat(url: string, body = '{}'): Promise<void> {
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
  await response.arrayBuffer();
}
