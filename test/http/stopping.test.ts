import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import { assertIdle, endingsOf, untilShown } from '../support/aftermath.ts';
import { REFUSING_URL, startBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { startJanoFor } from '../support/startJano.ts';
import { startWebSocketRig } from '../support/webSocketRig.ts';

/** A stop that waits for so long fails its test. */
const LONGER_THAN_A_TEST_MS = 3_600_000;
const POST = 'POST /v1/messages HTTP/1.1\r\nHost: jano\r\nContent-Length: 2\r\n\r\n{}';

/** Jano with one request that runs and one that waits; `free` lets the backend answer. */
async function startBusy(t: TestContext) {
  const { promise, resolve: free } = Promise.withResolvers<void>();
  const url = await startBackend(t, async (_req, res) => {
    res.write('begun, ');
    await promise;
    res.end('ended');
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });
  const running = await openRaw(t, jano.port, POST);
  await running.until((text) => text.includes('begun, '));
  const waiting = await openRaw(t, jano.port, POST);
  await untilShown(jano, (shown) => shown.waiting.length === 1);
  return { jano, running, waiting, free };
}

test('a Jano that stops lets what runs end, and tells the others to come back', async (t) => {
  const { jano, running, waiting, free } = await startBusy(t);

  const stopped = jano.stop(30_000);
  const refused = await waiting.until((text) => text.endsWith('}'));
  const late = await openRaw(t, jano.port, POST);
  const lateRefused = await late.until((text) => text.endsWith('}'));
  free();
  const answer = await running.until((text) => text.endsWith('0\r\n\r\n'));
  await stopped;

  for (const text of [refused, lateRefused]) {
    assert.match(text, /^HTTP\/1\.1 503 Service Unavailable\r\nRetry-After: 5\r\n/);
    assert.match(text, /"type":"overloaded_error","message":"jano is stopping"/);
  }
  assert.match(answer, /begun, [^]*ended/);
  assert.deepEqual(endingsOf(jano), ['503 rejected', '503 rejected', '200 served']);
  assertIdle(jano);
});

test('a Jano that stops says so under /health, and closes every connection in the end', async (t) => {
  const { jano, running, free } = await startBusy(t);
  const kept = await openRaw(t, jano.port, '');

  const stopped = jano.stop(30_000);
  kept.socket.write('GET /health HTTP/1.1\r\nHost: jano\r\n\r\n');
  const health = await kept.until((text) => text.endsWith('}'));
  free();
  await stopped;

  assert.match(health, /^HTTP\/1\.1 503 [^]*"ok": false,\s+"status": "stopping",\s+"reason":/);
  await Promise.all([kept.closed(), running.closed()]);
});

test('what still runs when the time is over is cut, and recorded', async (t) => {
  const { jano, running } = await startBusy(t);

  await jano.stop(0);

  // By then the records are made.
  assert.deepEqual(endingsOf(jano), ['503 rejected', '200 cut']);
  assert.doesNotMatch(await running.closed(), /0\r\n\r\n$/);
  assert.match(jano.snapshot().ledger.lastError?.message ?? '', /jano stopped before/);
  assertIdle(jano);
});

test('what the backend has not begun to answer when the time is over gets an error that says why', async (t) => {
  const reached = Promise.withResolvers<void>();
  const url = await startBackend(t, () => reached.resolve());
  const jano = await startJanoFor(t, url);
  const caller = await openRaw(t, jano.port, POST);
  await reached.promise;

  await jano.stop(0);

  assert.match(await caller.closed(), /^HTTP\/1\.1 503 [^]*"message":"jano is stopping"/);
  assert.deepEqual(endingsOf(jano), ['503 failed']);
});

test('who still sends its body at a stop is told at once, and not waited for', async (t) => {
  const jano = await startJanoFor(t, REFUSING_URL, {}, { pinned: true });
  const arrival = once(jano.server, 'request');
  const caller = await openRaw(t, jano.port, POST.slice(0, -1));
  await arrival;

  await jano.stop(30_000);

  assert.match(await caller.closed(), /^HTTP\/1\.1 503 [^]*"message":"jano is stopping"/);
  assert.deepEqual(endingsOf(jano), ['503 rejected']);
});

test('an open websocket does not hold up a stop', async (t) => {
  const rig = await startWebSocketRig(t);
  const { caller, backend } = await rig.open(t);
  backend.resume().once('end', () => backend.end());

  await rig.jano.stop(LONGER_THAN_A_TEST_MS);

  await caller.closed();
  assert.deepEqual(endingsOf(rig.jano), ['101 served']);
});

for (const [when, isEarly] of [
  ['before it', true],
  ['in the midst of it', false],
] as const) {
  test(`an event stream that takes no slot and begins ${when} does not hold up a stop`, async (t) => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<ServerResponse>();
    const url = await startBackend(t, (_req, res) => ask(res));
    const jano = await startJanoFor(t, url);
    const caller = await openRaw(
      t,
      jano.port,
      'GET /upstream/qwen/models/sse HTTP/1.1\r\nHost: jano\r\n\r\n',
    );
    const answer = await asked;
    const begin = async (): Promise<void> => {
      answer.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n');
      await caller.until((text) => text.includes('\r\n\r\n'));
    };

    if (isEarly) await begin();
    const stopped = jano.stop(LONGER_THAN_A_TEST_MS);
    if (!isEarly) await begin();
    await stopped;

    // Ended as a whole one.
    assert.match(await caller.closed(), /^HTTP\/1\.1 200 OK\r\n[^]*\r\n0\r\n\r\n$/);
    assert.deepEqual(endingsOf(jano), ['200 served']);
  });
}
