import assert from 'node:assert/strict';
import { test } from 'node:test';
import supertest from 'supertest';
import { createNoTelemetry, createTelemetry } from '../../src/telemetry/telemetry.ts';
import { REFUSING_URL } from '../support/fakeBackend.ts';
import { requestRecord } from '../support/records.ts';
import { readScrape, sumOf } from '../support/scrape.ts';
import { startJano } from '../support/startJano.ts';

const models = [{ name: 'qwen', url: REFUSING_URL }];

test('/metrics is Prometheus’ text format, for HEAD too', async (t) => {
  const { server } = await startJano(t, { models });
  const type = 'text/plain; version=0.0.4; charset=utf-8';

  const { text } = await supertest(server).get('/metrics').expect(200).expect('Content-Type', type);
  await supertest(server).head('/metrics').expect(200).expect('Content-Type', type);

  assert.match(text, /^# HELP /);
  assert.match(text, /[^\n]\n$/);
});

test('/metrics says 503 and why when something cannot be read, never values of before', async (t) => {
  const telemetry = createTelemetry('test');
  const observe = (): void =>
    telemetry.observe(() => {
      throw new Error('a bug');
    });
  const { server } = await startJano(t, { models }, undefined, {
    telemetry: { ...telemetry, observe },
  });

  const reply = await supertest(server).get('/metrics').expect(503);

  assert.equal(reply.text, 'metrics could not be collected\n');
  assert.match(reply.headers['content-type'] ?? '', /^text\/plain;/);
});

test('switched off, /metrics says 503 and why, while /status and /usage go on', async (t) => {
  const telemetry = createNoTelemetry('metrics are off');
  const jano = await startJano(t, { models }, undefined, { telemetry });

  const { text } = await supertest(jano.server).get('/metrics').expect(503);
  await supertest(jano.server).post('/v1/chat/completions').send({ model: 'none' }).expect(404);

  assert.equal(text, 'metrics are off\n');
  await supertest(jano.server).get('/status').expect(200);
  assert.equal(jano.snapshot().ledger.requests.newest().length, 1);
});

test('two scrapes at once tell the same, and neither resets anything', async () => {
  const telemetry = createTelemetry('test');
  for (let id = 0; id < 5; id++) telemetry.recorder.requestClosed(requestRecord({ id }));

  const scrapes = await Promise.all([telemetry.scrape(), telemetry.scrape()]);
  const later = await telemetry.scrape();
  await telemetry.shutdown();

  for (const text of [...scrapes, later]) {
    assert.equal(sumOf(readScrape(text), 'jano_queue_wait_duration_seconds_count'), 5);
  }
});
