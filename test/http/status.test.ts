import assert from 'node:assert/strict';
import { test } from 'node:test';
import supertest from 'supertest';
import { assertEnded, untilRecorded, untilShown } from '../support/aftermath.ts';
import { REFUSING_URL, startBackend } from '../support/fakeBackend.ts';
import { startJano, startJanoFor } from '../support/startJano.ts';

test('before anything has happened /status says so: zero where it counts, null where it is unknown', async (t) => {
  const url = REFUSING_URL;
  const jano = await startJano(t, { models: [{ name: 'qwen', url }] });

  const { body } = await supertest(jano.server).get('/status').expect(200);

  const zeros = `queueDepth inFlight oldestWaitingMs swapsLast15m swapsLastHour requestsServedTotal
    tokensGeneratedTotal promptTokensTotal requestsPerMinute errorsLast15m tokensLastMinute
    throughputLastMinuteTokS swapsTotal swapFailuresTotal swapsAvoided swapTimeShareLastHour unmeteredTotal`;
  const nulls = `currentModel currentModelLoadedAt lastSwapDurationMs recentGenTokS
    recentPromptTokS lastError swap`;
  for (const name of zeros.split(/\s+/)) assert.equal(body[name], 0, name);
  for (const name of nulls.split(/\s+/)) assert.equal(body[name], null, name);
  for (const name of ['loadedModels', 'waiting', 'running']) assert.deepEqual(body[name], []);
  for (const name of ['queueByModel', 'inFlightByModel', 'requestsByModel', 'tokensByModel']) {
    assert.deepEqual(body[name], { qwen: 0 });
  }
  assert.deepEqual([body.tokSByModel, body.ok], [{ qwen: null }, true]);
  assert.ok(Number.isInteger(body.uptimeSeconds));
});

test('a model may be called as JavaScript’s own things are', async (t) => {
  const names = ['__proto__', 'constructor'];
  const url = REFUSING_URL;
  const jano = await startJano(t, { models: names.map((name) => ({ name, url })) });

  const { text } = await supertest(jano.server).get('/status').expect(200);

  assert.match(text, /"queueByModel": \{\s+"__proto__": 0,\s+"constructor": 0\s+\}/);
});

test('/status shows who runs and who waits, and forgets them when they are done', async (t) => {
  const { promise, resolve: free } = Promise.withResolvers<void>();
  const url = await startBackend(t, async (_req, res) => {
    res.write('abc');
    await promise;
    res.end();
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });
  const post = (caller: string) =>
    fetch(`${jano.url}/x`, { method: 'POST', headers: { 'x-caller': caller } });
  const running = await post('anna');
  await untilShown(jano, (shown) => shown.running[0]?.bytes === 3);
  const waiting = post('ben');
  await untilShown(jano, (shown) => shown.waiting.length === 1);

  const { body } = await supertest(jano.server).get('/status').expect(200);
  free();
  await Promise.all([running.text(), (await waiting).text()]);

  assert.partialDeepStrictEqual(body, {
    currentModel: 'qwen',
    loadedModels: ['qwen'],
    queueDepth: 1,
    queueByModel: { qwen: 1 },
    inFlight: 1,
    inFlightByModel: { qwen: 1 },
    waiting: [{ id: 2, model: 'qwen', caller: 'ben', position: 1 }],
    running: [{ id: 1, model: 'qwen', caller: 'anna', bytes: 3 }],
  });
  const { why, waitedMs } = body.waiting[0];
  assert.ok(why.length > 0 && waitedMs >= 0 && body.running[0].firstByteMs >= 0);
  await assertEnded(jano, ['200 served', '200 served']);
});

test('/status counts what was served, what failed, and the tokens that the backend reported', async (t) => {
  const url = await startBackend(t, (req, res) => {
    if (req.url === '/broken') return void req.socket.resetAndDestroy();
    const timings = { prompt_n: 7, cache_n: 3, predicted_n: 20, predicted_per_second: 42.25 };
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ timings }));
  });
  const jano = await startJanoFor(t, url);

  await fetch(`${jano.url}/v1/chat/completions`, { method: 'POST', body: '{}' });
  await fetch(`${jano.url}/broken`, { method: 'POST', body: '{}' });
  await fetch(`${jano.url}/v1/chat/completions`, { method: 'POST', body: '{"model":"gpt-9"}' });
  await untilRecorded(jano, 3);
  const { body } = await supertest(jano.server).get('/status').expect(200);

  assert.partialDeepStrictEqual(body, {
    requestsServedTotal: 1,
    requestsByModel: { qwen: 1 },
    tokensGeneratedTotal: 20,
    tokensByModel: { qwen: 20 },
    promptTokensTotal: 10,
    recentGenTokS: 42.3,
    tokSByModel: { qwen: 42.3 },
    tokensLastMinute: 20,
    requestsPerMinute: 3,
    errorsLast15m: 1,
    lastError: { model: 'qwen' },
  });
  assert.match(body.lastError.message, /connection reset/);
  assert.ok(Date.parse(body.lastError.ts) > 0);
});
