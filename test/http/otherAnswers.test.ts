import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { RequestRecord } from '../../src/core/record.ts';
import { untilRecorded } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { startJanoFor } from '../support/startJano.ts';

test('a response that is read again does not cost its tokens again', async (t) => {
  const body = '{"id":"resp_1","status":"completed","usage":{"input_tokens":7,"output_tokens":3}}';

  const made = await recordOf(t, 'POST', '/v1/responses', body);
  const read = await recordOf(t, 'GET', '/v1/responses/resp_1', body);

  assert.deepEqual([made.usage?.outputTokens, read.usage], [3, null]);
  assert.deepEqual([made.unmetered, read.unmetered], [null, null]);
});

test('an error that an answer tells of is the answer’s own only where it was generated', async (t) => {
  const body = '{"id":"job_1","error":{"message":"the job failed"}}';

  const job = await recordOf(t, 'GET', '/v1/batches/job_1', body);
  const chat = await recordOf(t, 'POST', '/v1/chat/completions', body);

  assert.deepEqual([job.outcome, job.error], ['served', null]);
  assert.deepEqual([chat.outcome, chat.error], ['failed', 'the job failed']);
});

test('what a backend says when it refuses is told, whatever it was asked', async (t) => {
  const body = '{"error":{"message":"no such file"}}';

  const { outcome, error } = await recordOf(t, 'GET', '/v1/files/1', body, 404);

  assert.deepEqual([outcome, error], ['refused', 'no such file']);
});

/** The record of one request that is answered so. */
async function recordOf(
  t: TestContext,
  method: string,
  path: string,
  body: string,
  status = 200,
): Promise<RequestRecord> {
  const url = await startBackend(t, (_req, res) =>
    res.writeHead(status, { 'content-type': 'application/json' }).end(body),
  );
  const jano = await startJanoFor(t, url);
  await (await fetch(jano.url + path, { method })).text();
  await untilRecorded(jano, 1);
  const [record] = jano.snapshot().ledger.requests.newest();
  assert.ok(record !== undefined);
  return record;
}
