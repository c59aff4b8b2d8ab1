import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { assertEnded } from '../support/aftermath.ts';
import { REFUSING_URL, startBackend, startRawBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { type RawConfig, startJanoFor } from '../support/startJano.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';

/** The header lines that reach the backend when a caller sends `lines`; its own address is `backend` in them. */
async function linesThatArrive(
  t: TestContext,
  lines: readonly string[],
  model: RawConfig = {},
): Promise<string[]> {
  const arrived = Promise.withResolvers<string>();
  const url = await startRawBackend(t, (socket, first) => {
    arrived.resolve(first.toString('latin1'));
    socket.end(OK);
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1, ...model });
  const caller = await openRaw(t, jano.port, ['GET /x HTTP/1.1', ...lines, '', ''].join('\r\n'));
  await caller.until((text) => text.endsWith('{}'));
  await assertEnded(jano, ['200 served']);
  const [, ...head] = (await arrived.promise).trimEnd().split('\r\n');
  return head.map((line) => line.replace(new URL(url).host, 'backend'));
}

test('what a caller says of itself arrives: keys, traces, programs, and what Jano itself reads', async (t) => {
  const lines = [
    'Authorization: Bearer t',
    'X-Api-Key: k',
    'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'Accept: text/event-stream',
    'Accept-Encoding: gzip, br',
    'User-Agent: curl/8',
    'X-Model: qwen',
    'X-Caller: me',
    'X-Forwarded-For: 10.0.0.1',
    'Origin: http://page',
    'Cookie: a=1',
    'Via: 1.1 front',
    'X-Empty: ',
    'X-Tab: a\tb\xff',
  ];

  const arrived = await linesThatArrive(t, ['Host: jano', ...lines]);

  assert.deepEqual(arrived, ['Host: backend', ...lines, 'Connection: close']);
});

test('a Connection header cannot take the Host or the length away', async (t) => {
  const lines = ['Host: jano', 'Connection: close, Host, Content-Length, X-A', 'X-A: 1', 'X-B: 2'];

  const arrived = await linesThatArrive(t, lines);

  assert.deepEqual(arrived, ['Host: backend', 'X-B: 2', 'Connection: close']);
});

test('headers of the config are added, and replace the caller’s of the same name', async (t) => {
  const lines = ['Host: jano', 'AUTHORIZATION: Bearer mine', 'X-A: 1', 'authorization: Basic x'];
  const headers = { Authorization: 'Bearer configured', 'X-New': 'yes' };

  const arrived = await linesThatArrive(t, lines, { headers });

  assert.deepEqual(arrived, [
    'Host: backend',
    'X-A: 1',
    'Authorization: Bearer configured',
    'X-New: yes',
    'Connection: close',
  ]);
});

test('a Host of the config takes the place of the backend’s own', async (t) => {
  const arrived = await linesThatArrive(t, ['Host: jano'], { headers: { host: 'models.local' } });

  assert.deepEqual(arrived, ['host: models.local', 'Connection: close']);
});

test('a caller of HTTP/1.0 without a Host is given the backend’s', async (t) => {
  const url = await startBackend(t, (req, res) => res.end(req.headers.host));
  const jano = await startJanoFor(t, url);

  const caller = await openRaw(t, jano.port, 'GET /x HTTP/1.0\r\n\r\n');

  assert.ok((await caller.closed()).endsWith(new URL(url).host));
});

test('a backend’s Date stays, and none is invented where it has none', async (t) => {
  const url = await startRawBackend(t, (socket, first) => {
    const date = first.includes('/dated') ? 'Date: yesterday\r\n' : '';
    socket.end(OK.replace('Content-Length', `${date}Content-Length`));
  });
  const jano = await startJanoFor(t, url);

  const dates = ['/dated', '/plain'].map(async (path) => {
    const { headers } = await fetch(jano.url + path);
    return headers.get('date');
  });

  assert.deepEqual(await Promise.all(dates), ['yesterday', null]);
});

test('compressed, cross-origin and caching headers stay the backend’s alone', async (t) => {
  const lines = [
    'Content-Encoding: gzip',
    'Access-Control-Allow-Origin: *',
    'ETag: "x"',
    'Cache-Control: no-store',
    'X-Accel-Buffering: no',
    'X-Powered-By: llama.cpp',
    'Vary: Origin',
    'Content-Type: APPLICATION/JSON;charset=x',
    'Content-Length: 2',
  ];
  const url = await startRawBackend(t, (socket) => {
    socket.end(`HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n{}`);
  });
  const jano = await startJanoFor(t, url);

  const caller = await openRaw(t, jano.port, 'GET /x HTTP/1.1\r\nHost: jano\r\n\r\n');
  const received = await caller.until((text) => text.endsWith('{}'));

  const kept = ['Connection: keep-alive', 'Keep-Alive: timeout=75', '', '{}'];
  assert.deepEqual(received.split('\r\n').slice(1), [...lines, ...kept]);
});

test('a backend that closes its connection does not close the caller’s', async (t) => {
  const url = await startRawBackend(t, (socket) => socket.end(OK));
  const jano = await startJanoFor(t, url);
  const request = 'GET /x HTTP/1.1\r\nHost: jano\r\n\r\n';

  const caller = await openRaw(t, jano.port, request);
  await caller.until((text) => text.endsWith('{}'));
  caller.socket.write(request);

  const received = await caller.until((text) => /\{\}[^]+\{\}$/.test(text));
  assert.doesNotMatch(received, /Connection: close/);
});

test('a body arrives whole however many headers stand before its length', async (t) => {
  const url = await startRawBackend(t, (socket, first) => {
    let got = '';
    const take = (chunk: Buffer): void => {
      got += chunk.toString('latin1');
      if (got.endsWith('\r\n\r\n{"a":1}')) socket.end(OK);
    };
    socket.on('data', take);
    take(first);
  });
  const jano = await startJanoFor(t, url);
  const head = `POST /x HTTP/1.1\r\nHost: jano\r\n${'a: \r\n'.repeat(2001)}Content-Length: 7\r\n\r\n`;

  const caller = await openRaw(t, jano.port, `${head}{"a":1}`);

  assert.match(await caller.until((text) => text.endsWith('{}')), / 200 OK/);
});

test('a head that comes before its body keeps its bytes, also those that are no ASCII', async (t) => {
  const url = await startRawBackend(t, (socket) => {
    socket.write(Buffer.from('HTTP/1.1 200 Caf\xe9\r\nX-A: \xe9\r\n\r\n', 'latin1'));
  });
  const jano = await startJanoFor(t, url);

  const caller = await openRaw(t, jano.port, 'GET /x HTTP/1.1\r\nHost: jano\r\n\r\n');
  const head = await caller.until((text) => text.includes('\r\n\r\n'));

  assert.deepEqual(head.split('\r\n').slice(0, 2), ['HTTP/1.1 200 Caf\xe9', 'X-A: \xe9']);
});

test('a body in a transfer coding that would be lost on the way is refused', async (t) => {
  const jano = await startJanoFor(t, REFUSING_URL, {}, { pinned: true });
  const head = 'POST /x HTTP/1.1\r\nHost: jano\r\nTransfer-Encoding: gzip, chunked\r\n\r\n';

  const caller = await openRaw(t, jano.port, `${head}3\r\nabc\r\n0\r\n\r\n`);
  const answer = await caller.until((text) => text.endsWith('}'));

  assert.match(answer, /^HTTP\/1\.1 501 .*"unknown_transfer_coding"/s);
});

test('a header may be called as a thing of JavaScript is', async (t) => {
  const lines = ['Host: backend', 'constructor: 1', '__proto__: 2', 'toString: 3'];

  assert.deepEqual(await linesThatArrive(t, lines), [...lines, 'Connection: close']);
});
