import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { assertEnded, untilShown } from '../support/aftermath.ts';
import { fill, startBackend, startRawBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { type RawConfig, type RunningJano, startJanoFor } from '../support/startJano.ts';

const HEALTH = 'GET /health HTTP/1.1\r\nHost: jano\r\n\r\n';
const LENGTH_10 = 'POST /v1/x HTTP/1.1\r\nHost: jano\r\nContent-Length: 10\r\n\r\n';
const CHUNKED = 'POST /v1/x HTTP/1.1\r\nHost: jano\r\nTransfer-Encoding: chunked\r\n\r\n';

/** Jano with these limits, in front of a backend with one slot that answers with the length of what it got. */
async function startCounting(t: TestContext, limits: RawConfig): Promise<RunningJano> {
  const url = await startBackend(t, async (req, res) => {
    res.end(`${Buffer.concat(await req.toArray()).length} bytes`);
  });
  return startJanoFor(t, url, { limits }, { parallel: 1 });
}

for (const [how, bytes] of Object.entries({
  'by its Content-Length': `${LENGTH_10}0123456789`,
  'by its chunks': `${CHUNKED}5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n`,
})) {
  test(`a body too large ${how} is a 413, and the connection can be used again`, async (t) => {
    const jano = await startCounting(t, { body: '9B' });

    const caller = await openRaw(t, jano.port, bytes + HEALTH);
    const received = await caller.until((text) => text.includes('"ok": true'));

    assert.match(received, /^HTTP\/1\.1 413 Payload Too Large\r\n/);
    assert.match(received, /larger than limits\.body \(9 bytes\)","type":"invalid_request_error"/);
    await assertEnded(jano, ['413 rejected']);
  });
}

test('a body just as large as allowed is forwarded, in one piece or in chunks', async (t) => {
  const jano = await startCounting(t, { body: '10B' });

  const whole = await openRaw(t, jano.port, `${LENGTH_10}0123456789`);
  const chunked = await openRaw(t, jano.port, `${CHUNKED}a\r\n0123456789\r\n0\r\n\r\n`);

  await whole.until((text) => text.includes('10 bytes'));
  await chunked.until((text) => text.includes('10 bytes'));
});

test('a limit of 0 is none', async (t) => {
  const jano = await startCounting(t, { body: 0, request: 0 });

  const response = await fetch(`${jano.url}/v1/x`, { method: 'POST', body: 'x'.repeat(100_000) });

  assert.equal(await response.text(), '100000 bytes');
});

test('a caller is told of a body too large while it still sends it, and may leave', async (t) => {
  const jano = await startCounting(t, { body: '1KiB' });
  const head = 'POST /v1/x HTTP/1.1\r\nHost: jano\r\nContent-Length: 100000000\r\n\r\n';

  const caller = await openRaw(t, jano.port, `${head}${'x'.repeat(100_000)}`);
  await caller.until((text) => text.includes('413 Payload Too Large'));
  caller.socket.destroy();

  await assertEnded(jano, ['413 rejected']);
});

/** Jano with a limit on silence, in front of a backend that says `answer` and no more. */
async function startSilent(t: TestContext, answer: string) {
  const arrival = Promise.withResolvers<Socket>();
  const closed = Promise.withResolvers<void>();
  const url = await startRawBackend(t, (socket, first) => {
    if (first.includes('/silent')) return;
    socket.write(answer, () => arrival.resolve(socket));
    socket.once('close', () => closed.resolve());
  });
  const jano = await startJanoFor(t, url, { limits: { request: '250ms' } }, { parallel: 2 });
  return { jano, backend: arrival.promise, closed: closed.promise };
}

test('a backend that does not begin to answer in time is a 504, and is let go', async (t) => {
  const { jano, closed } = await startSilent(t, '');

  const response = await fetch(`${jano.url}/v1/messages`, { method: 'POST', body: '{}' });

  assert.equal(response.status, 504);
  const message = 'the backend of "qwen" sent nothing for 250 ms (limits.request)';
  assert.deepEqual(await response.json(), {
    type: 'error',
    error: { type: 'timeout_error', message },
  });
  await closed;
  await assertEnded(jano, ['504 failed']);
});

for (const [when, answer] of [
  ['after the head', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'],
  ['in its answer', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'],
] as const) {
  test(`a backend that falls silent ${when} is cut off, and so is the caller`, async (t) => {
    const { jano, closed } = await startSilent(t, answer);

    const caller = await openRaw(t, jano.port, 'POST /x HTTP/1.1\r\nHost: jano\r\n\r\n');

    const [, body] = (await caller.closed()).split('\r\n\r\n');
    assert.equal(body, answer.split('\r\n\r\n')[1]);
    await closed;
    await assertEnded(jano, ['200 cut']);
    assert.match(jano.snapshot().ledger.lastError?.message ?? '', /sent nothing for 250 ms/);
  });
}

test('a caller that reads slowly is not taken for a silent backend', async (t) => {
  const { jano, backend } = await startSilent(t, 'HTTP/1.0 200 OK\r\n\r\n');
  const slow = await fetch(`${jano.url}/x`, { method: 'POST' });
  await fill(await backend);

  // Each takes just as long as the limit.
  for (let count = 0; count < 3; count++) {
    const silent = await fetch(`${jano.url}/silent`, { method: 'POST' });
    assert.equal(silent.status, 504);
  }
  (await backend).end();

  assert.ok((await slow.arrayBuffer()).byteLength > 4_000_000);
  await assertEnded(jano, ['504 failed', '504 failed', '504 failed', '200 served']);
});

/** Jano with one slot, which is taken, and these limits of its queue; `free` lets all go on. */
async function startFull(t: TestContext, queue: RawConfig) {
  const { promise, resolve: free } = Promise.withResolvers<void>();
  const url = await startBackend(t, async (_req, res) => {
    await promise;
    res.end('{}');
  });
  const jano = await startJanoFor(t, url, { queue }, { parallel: 1 });
  const post = (body = '') => fetch(`${jano.url}/v1/x`, { method: 'POST', body });
  const running = post();
  await untilShown(jano, (shown) => shown.running.length === 1);
  return { jano, post, running, free };
}

test('when as many wait as may, the next is told to come back, and the others are served', async (t) => {
  const { jano, post, running, free } = await startFull(t, { maxWaiting: 1 });
  const waiting = post();
  await untilShown(jano, (shown) => shown.waiting.length === 1);

  const refused = await post();
  free();

  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get('retry-after'), '10');
  assert.match(await refused.text(), /the queue is full.*"code":"queue_full"/);
  assert.deepEqual([(await running).status, (await waiting).status], [200, 200]);
  await assertEnded(jano, ['503 rejected', '200 served', '200 served']);
});

test('when the bodies that wait are as large as may be, the next is told to come back', async (t) => {
  const { jano, post, running, free } = await startFull(t, { maxWaitingBytes: '10B' });
  const waiting = post('123456');
  await untilShown(jano, (shown) => shown.waiting.length === 1);

  const refused = await post('12345');
  const fits = post('1234');
  await untilShown(jano, (shown) => shown.waiting.length === 2);
  free();

  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get('retry-after'), '10');
  const statuses = (await Promise.all([running, waiting, fits])).map(({ status }) => status);
  assert.deepEqual(statuses, [200, 200, 200]);
});

test('who waits longer than queue.timeout is told to come back', async (t) => {
  const { jano, post, running, free } = await startFull(t, { timeout: '20ms' });

  const refused = await post();
  free();

  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get('retry-after'), '10');
  assert.match(await refused.text(), /"code":"queue_timeout"/);
  assert.equal((await running).status, 200);
  await assertEnded(jano, ['503 rejected', '200 served']);
});
