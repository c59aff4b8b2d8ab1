import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { startJanoOn } from '../llama/rigJano.ts';
import { readStatus } from '../machine/statusView.ts';
import { openExampleRig } from '../rig/exampleRig.ts';
import { assertEnded, assertIdle, assertRecorded, untilRecorded } from '../support/aftermath.ts';
import { beginAnswer } from '../support/begunAnswer.ts';
import { REFUSING_URL, startBackend, startRawBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { startJano, startJanoFor } from '../support/startJano.ts';

const CHUNKED =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const POST = 'POST /x HTTP/1.1\r\nHost: jano\r\n\r\n';

for (const [name, die] of [
  [
    'trunc-01: a backend that closes mid-stream no longer leaves the caller waiting for 45 minutes',
    (socket: Socket) => void socket.end(),
  ],
  [
    'trunc-02: a backend that is reset mid-stream no longer ends an answer that looks whole, with foreign text in it',
    (socket: Socket) => void socket.resetAndDestroy(),
  ],
] as const) {
  test(name, async (t) => {
    const { jano, caller, backend, hits } = await beginAnswer(t, `${CHUNKED}5\r\ndata:\r\n`);
    await caller.until((text) => text.includes('data:'));

    die(backend);

    const kept = 'Connection: keep-alive\r\nKeep-Alive: timeout=75\r\nTransfer-Encoding';
    const head = CHUNKED.replace('Transfer-Encoding', kept);
    assert.equal(await caller.closed(), `${head}5\r\ndata:\r\n`);
    await assertEnded(jano, ['200 cut']);
    assert.equal(hits(), 1);
    const { errorsLast15m, lastError } = await readStatus(jano);
    assert.equal(errorsLast15m, 1);
    assert.match(lastError?.message ?? '', /"qwen" was cut: connection reset/);
  });
}

test('trunc-01: a server that is killed mid-stream no longer leaves the caller waiting for 45 minutes', async (t) => {
  const rig = await openExampleRig(t, ['chat'], '--load-ms 0 --words-per-second 20');
  const jano = await startJanoOn(t, rig, ['chat'], 'chat');
  const body = '{"model":"chat","stream":true,"messages":[{"role":"user","content":"hi"}]}';
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: jano\r\nContent-Length: ${body.length}`;
  const caller = await openRaw(t, jano.port, `${head}\r\n\r\n${body}`);
  await caller.until((text) => text.split('data: ').length > 3);
  const pid = await rig.findPid('chat');
  if (pid === null) throw new Error('the server does not run');

  process.kill(pid, 'SIGKILL');

  const [, ...events] = (await caller.closed()).split('data: ');
  assert.ok(events.length >= 3);
  // A chunk may hold two of them.
  for (const event of events) assert.match(event, /^\{.*\}\n\n(?:\r\n(?:[0-9a-f]+\r\n)?)?$/);
  assert.match(events.at(-1) ?? '', /\}\n\n\r\n$/);
  await assertRecorded(jano, ['200 cut']);
  assert.equal((await readStatus(jano)).errorsLast15m, 1);
});

test('trunc-03: a port where nothing listens no longer takes the router down, nor an upgrade to it', async (t) => {
  const url = REFUSING_URL;
  const jano = await startJano(t, { models: [{ name: 'qwen', url, pinned: true, parallel: 1 }] });
  const caller = await openRaw(t, jano.port, '');
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==';

  for (let count = 1; count <= 20; count++) {
    caller.socket.write(POST);
    await caller.until((text) => text.split('"code":"backend_failed"}}').length > count);
  }
  const upgrading = await openRaw(
    t,
    jano.port,
    `GET /x HTTP/1.1\r\nHost: jano\r\n${upgrade}\r\n\r\n`,
  );
  await upgrading.until((text) => text.startsWith('HTTP/1.1 502 '));

  const [first = ''] = caller.received().split(/(?<=\}\})/);
  assert.match(first, /^HTTP\/1\.1 502 Bad Gateway\r\nContent-Type: application\/json\r\n/);
  assert.match(first, /failed before it answered: connection refused","type":"server_error"/);
  await assertRecorded(
    jano,
    Array.from({ length: 21 }, () => '502 failed'),
  );
  assert.equal((await readStatus(jano)).errorsLast15m, 21);
});

test('trunc-05: an answer that broke off is no longer begun again in the same stream', async (t) => {
  let hits = 0;
  const url = await startRawBackend(t, (socket) => {
    hits += 1;
    const text = hits === 1 ? '{"a":' : '{"a":1}';
    const event = `${(text.length + 8).toString(16)}\r\ndata: ${text}\n\n\r\n`;
    socket.write(CHUNKED + event, () => {
      if (hits === 1) socket.resetAndDestroy();
      else socket.end('0\r\n\r\n');
    });
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });

  const first = await openRaw(t, jano.port, POST);
  const [, broken] = (await first.closed()).split('\r\n\r\n');
  const hitsThen = hits;
  const second = await (await fetch(`${jano.url}/x`, { method: 'POST' })).text();

  assert.equal(broken, 'd\r\ndata: {"a":\n\n\r\n');
  assert.equal(hitsThen, 1);
  assert.equal(second, 'data: {"a":1}\n\n');
  await assertEnded(jano, ['200 cut', '200 served']);
});

for (const stream of [
  'data: {"error":{"code":400,"message":"ctx","type":"invalid_request_error"}}\n\ndata: [DONE]\n\n',
  'error: {"code":400,"message":"ctx"}\n\ndata: [DONE]\n\n',
  '{"error":{"code":400,"message":"ctx"}}',
]) {
  test(`trunc-06: an error inside of a 200 stream no longer changes on its way: ${stream.slice(0, 14)}`, async (t) => {
    const url = await startBackend(t, (_req, res) => {
      res.setHeader('Content-Type', 'text/event-stream');
      res.end(stream);
    });
    const jano = await startJanoFor(t, url);

    const response = await fetch(`${jano.url}/v1/chat/completions`, { method: 'POST' });

    assert.equal(response.status, 200);
    assert.equal(await response.text(), stream);
    await untilRecorded(jano, 1);
    assertIdle(jano);
    const [record] = jano.snapshot().ledger.requests.newest();
    assert.deepEqual(
      [record?.status, record?.outcome, record?.error, record?.usage],
      [200, 'failed', 'ctx', null],
    );
  });
}

test('keep-01: a backend that closes kept connections no longer makes every second POST a 502', async (t) => {
  let hits = 0;
  const url = await startRawBackend(t, (socket) => {
    hits += 1;
    socket.once('data', () => socket.resetAndDestroy());
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });

  const caller = await openRaw(t, jano.port, '');
  for (let count = 1; count <= 4; count++) {
    caller.socket.write('POST /x HTTP/1.1\r\nHost: jano\r\n\r\n');
    await caller.until((text) => text.split('{}').length > count);
  }

  assert.equal(hits, 4);
  await assertEnded(jano, ['200 served', '200 served', '200 served', '200 served']);
});
