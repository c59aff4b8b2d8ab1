import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { assertEnded, untilShown } from '../support/aftermath.ts';
import { fill, startBackend, startRawBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { startJanoFor } from '../support/startJano.ts';
import { AGREEING, ASKING, startWebSocketRig } from '../support/webSocketRig.ts';

const asking = (path: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: jano\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${more}\r\n`;

test('the head of a websocket reaches the backend, and the backend’s the caller, as they stand', async (t) => {
  const rig = await startWebSocketRig(t);
  const head =
    'GET /upstream/qwen/ws?a=b HTTP/1.1\r\nHost: jano\r\nCONNECTION: keep-alive, Upgrade\r\nupgrade: WebSocket\r\nTE: trailers\r\nSec-WebSocket-Key: eA==\r\nX-a: 1\r\nX-A: 2\r\n\r\n';
  const agreement =
    'HTTP/1.1 101 Come in\r\nupgrade: WebSocket\r\nConnection: upgrade\r\nX-b: 1\r\nX-B: 2\r\n\r\n';

  const caller = await openRaw(t, rig.jano.port, head);
  const { socket, request } = await rig.next();
  socket.write(agreement);

  assert.equal(await caller.until((text) => text.endsWith('\r\n\r\n')), agreement);
  assert.equal(
    request.toString('latin1').replace(/127\.0\.0\.1:\d+/, 'backend'),
    'GET /ws?a=b HTTP/1.1\r\nHost: backend\r\nCONNECTION: keep-alive, Upgrade\r\nupgrade: WebSocket\r\nSec-WebSocket-Key: eA==\r\nX-a: 1\r\nX-A: 2\r\n\r\n',
  );
});

test('an open websocket is shown as running, with its bytes, and recorded as a served 101', async (t) => {
  const rig = await startWebSocketRig(t);
  const { caller, backend } = await rig.open(t);

  caller.socket.write('12345');
  await once(backend, 'data');
  backend.write('678');
  await caller.until((text) => text.endsWith('678'));
  const running = [...rig.jano.snapshot().running];
  caller.socket.end();
  backend.end();
  await caller.closed();

  assert.deepEqual(
    running.map(({ model, bytes }) => ({ model, bytes })),
    [{ model: 'qwen', bytes: 8 }],
  );
  await assertEnded(rig.jano, ['101 served']);
});

for (const [where, request] of Object.entries({
  path: asking('/upstream/qwen/v1/realtime'),
  query: asking('/v1/realtime?model=qwen'),
  'X-Model header': asking('/v1/realtime', 'X-Model: qwen\r\n'),
})) {
  test(`a websocket finds its model by the ${where}`, async (t) => {
    const rig = await startWebSocketRig(t);

    const caller = await openRaw(t, rig.jano.port, request);
    const { socket } = await rig.next();
    socket.end(`${AGREEING}hello`);

    await caller.until((text) => text.endsWith('hello'));
    caller.socket.end();
    await assertEnded(rig.jano, ['101 served']);
  });
}

test('a backend that wants no websocket has its answer passed on, however long', async (t) => {
  const rig = await startWebSocketRig(t);
  const caller = await openRaw(t, rig.jano.port, ASKING);
  const { socket } = await rig.next();
  caller.socket.pause();

  socket.write('HTTP/1.1 426 Upgrade Required\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\n\r\n');
  await fill(socket);
  socket.end('0\r\n\r\n');
  caller.socket.resume();

  const received = await caller.closed();
  assert.match(received, /^HTTP\/1\.1 426 Upgrade Required\r\nX-A: 1\r\nConnection: close\r\n/);
  assert.ok(received.endsWith('x\r\n0\r\n\r\n'));
  await assertEnded(rig.jano, ['426 refused']);
});

test('a websocket whose backend refuses it, again and again, is a 502 in the path’s shape', async (t) => {
  const url = await startBackend(t, (req, res) => res.end(req.url));
  const jano = await startJanoFor(t, url, {
    models: [
      { name: 'well', url },
      { name: 'gone', url: 'http://127.0.0.1:1', pinned: true },
    ],
  });

  for (let time = 0; time < 3; time += 1) {
    const caller = await openRaw(t, jano.port, asking('/v1/realtime?model=gone'));
    assert.match(
      await caller.closed(),
      /^HTTP\/1\.1 502 Bad Gateway\r\nContent-Type: application\/json\r\n[^]*Connection: close\r\n[^]*"code":"backend_failed"/,
    );
  }
  await assertEnded(jano, ['502 failed', '502 failed', '502 failed']);
});

test('a backend that breaks the connection instead of an answer is a 502', async (t) => {
  const rig = await startWebSocketRig(t);

  const caller = await openRaw(t, rig.jano.port, ASKING);
  (await rig.next()).socket.resetAndDestroy();

  assert.match(await caller.closed(), /^HTTP\/1\.1 502 [^]*connection reset/);
  await assertEnded(rig.jano, ['502 failed']);
});

test('a backend whose agreement cannot be passed on is a 502', async (t) => {
  const rig = await startWebSocketRig(t);

  const caller = await openRaw(t, rig.jano.port, ASKING);
  const { socket } = await rig.next();
  const left = once(socket.resume(), 'end').finally(() => socket.end());
  socket.write(AGREEING.replace('Switching', '\x01'));

  assert.match(await caller.closed(), /^HTTP\/1\.1 502 [^]*its (?:head|answer)/);
  await left;
  await assertEnded(rig.jano, ['502 failed']);
});

test('a websocket for a model that nobody has is a 404, one without a key a 401', async (t) => {
  const rig = await startWebSocketRig(t, { auth: { keys: { me: 'secret' } } });

  const unknown = await openRaw(
    t,
    rig.jano.port,
    asking('/v1/x?model=no', 'X-Api-Key: secret\r\n'),
  );
  const keyless = await openRaw(t, rig.jano.port, asking('/v1/x?model=qwen'));

  assert.match(await unknown.closed(), /^HTTP\/1\.1 404 [^]*"code":"model_not_found"/);
  assert.match(await keyless.closed(), /^HTTP\/1\.1 401 [^]*"code":"invalid_api_key"/);
  assert.equal(rig.hits(), 0);
});

test('a websocket that finds the queue full is a 503', async (t) => {
  const rig = await startWebSocketRig(t, { queue: { maxWaiting: 1 } });
  await rig.open(t);
  await openRaw(t, rig.jano.port, ASKING);
  await untilShown(rig.jano, (shown) => shown.waiting.length === 1);

  const third = await openRaw(t, rig.jano.port, ASKING);

  assert.match(await third.closed(), /^HTTP\/1\.1 503 [^]*"code":"queue_full"/);
  assert.equal(rig.hits(), 1);
});

test('Jano’s own routes answer one who asks them for a websocket', async (t) => {
  const rig = await startWebSocketRig(t);

  const caller = await openRaw(t, rig.jano.port, asking('/health'));

  assert.match(await caller.closed(), /^HTTP\/1\.1 200 OK\r\n[^]*"ok": true/);
});

test('a connection that was used before can become a websocket', async (t) => {
  const rig = await startWebSocketRig(t);

  const caller = await openRaw(t, rig.jano.port, 'GET /health HTTP/1.1\r\nHost: jano\r\n\r\n');
  await caller.until((text) => text.includes('"ok": true'));
  caller.socket.write(ASKING);
  (await rig.next()).socket.write(`${AGREEING}hello`);

  await caller.until((text) => text.endsWith('hello'));
});

for (const [what, bytes] of Object.entries({
  'in HTTP/1.0': ASKING.replace('HTTP/1.1', 'HTTP/1.0'),
  'by another method': ASKING.replace('GET', 'POST'),
  'with a body': ASKING.replace('\r\n\r\n', '\r\nContent-Length: 2\r\n\r\n{}'),
  'behind a request that is not answered yet': `POST /x HTTP/1.1\r\nHost: jano\r\n\r\n${ASKING}`,
})) {
  test(`a request for a websocket ${what} is a plain request`, async (t) => {
    const url = await startRawBackend(t, (socket, request) => {
      const offer = request.includes('Upgrade') ? 'upgrade' : 'plain';
      socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${offer}`);
    });
    const jano = await startJanoFor(t, url);

    const caller = await openRaw(t, jano.port, bytes);

    const received = await caller.until(
      (text) => text.split('plain').length === bytes.split('HTTP/').length,
    );
    assert.doesNotMatch(received, /upgrade/);
  });
}

test('the limit of a request’s time ends no open websocket', async (t) => {
  const rig = await startWebSocketRig(t, { limits: { request: '30ms' } });
  const { caller, backend } = await rig.open(t);

  const slow = await startJanoFor(t, await startRawBackend(t, () => undefined), {
    limits: { request: '60ms' },
  });
  const { status } = await fetch(`${slow.url}/x`, { method: 'POST' });
  backend.write('still here');

  assert.equal(status, 504);
  await caller.until((text) => text.endsWith('still here'));
});
