import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { assertEnded } from '../support/aftermath.ts';
import { startBackend, startRawBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { type RunningJano, startJanoFor } from '../support/startJano.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';

/** Jano with one slot, in front of a backend that answers with what it was asked. */
async function startEcho(t: TestContext): Promise<RunningJano> {
  const url = await startBackend(t, async (req, res) => {
    const body = (await req.toArray()).join('');
    const answer = `${req.method} ${req.url} ${req.headers.upgrade} ${body};`;
    if (req.url !== '/stream') res.setHeader('Content-Length', answer.length);
    res.sendDate = false;
    res.flushHeaders();
    res.end(answer);
  });
  return startJanoFor(t, url, {}, { parallel: 1 });
}

test('a caller of HTTP/1.0 gets its answer and the end of the connection', async (t) => {
  const jano = await startEcho(t);

  const caller = await openRaw(t, jano.port, 'GET /stream HTTP/1.0\r\n\r\n');

  const received = await caller.closed();
  assert.match(received, /^HTTP\/1\.1 200 OK\r\nConnection: close\r\n\r\nGET \/stream .*;$/);
  await assertEnded(jano, ['200 served']);
});

test('a caller of HTTP/1.0 that keeps its connection can use it again where the length is known', async (t) => {
  const jano = await startEcho(t);
  const head = ' HTTP/1.0\r\nConnection: keep-alive\r\n\r\n';

  const caller = await openRaw(t, jano.port, `GET /a${head}`);
  const first = await caller.until((text) => text.endsWith(';'));
  caller.socket.write(`GET /stream${head}`);
  const all = await caller.closed();

  assert.match(first, /Content-Length: \d+\r\nConnection: keep-alive\r\n/);
  assert.match(all.slice(first.length), /Connection: close\r\n\r\nGET \/stream .*;$/);
  await assertEnded(jano, ['200 served', '200 served']);
});

test('a caller that wants its connection closed has it closed after the answer', async (t) => {
  const jano = await startEcho(t);
  const head = 'GET /a HTTP/1.1\r\nHost: jano\r\nConnection: close\r\n\r\n';

  const caller = await openRaw(t, jano.port, head);

  assert.match(await caller.closed(), /Connection: close\r\n\r\nGET \/a undefined ;$/);
  await assertEnded(jano, ['200 served']);
});

test('pipelined requests are answered in their order, each with its own body', async (t) => {
  const jano = await startEcho(t);
  const requests = ['a', 'b', 'c'].map((name) => {
    return `POST /${name} HTTP/1.1\r\nHost: jano\r\nContent-Length: 3\r\n\r\n${name.repeat(3)}`;
  });

  const caller = await openRaw(t, jano.port, requests.join(''));
  const received = await caller.until((text) => text.split(';').length > 3);

  assert.deepEqual(received.match(/POST [^;]*/g), [
    'POST /a undefined aaa',
    'POST /b undefined bbb',
    'POST /c undefined ccc',
  ]);
  await assertEnded(jano, ['200 served', '200 served', '200 served']);
});

test('a pipelined request takes no slot before its turn on its connection', async (t) => {
  const begun = Promise.withResolvers<Socket>();
  const url = await startRawBackend(t, (socket, first) => {
    if (first.includes('/other')) return void socket.end(OK);
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[');
    begun.resolve(socket);
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 2 });

  const caller = await openRaw(t, jano.port, 'POST /a HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3));
  await caller.until((text) => text.includes('['));
  const other = await fetch(`${jano.url}/other`, { method: 'POST' });
  (await begun.promise).end(']\n');

  assert.equal(other.status, 200);
  await caller.until((text) => text.split('[').length === 3);
  caller.socket.destroy();
  await assertEnded(jano, ['200 served', '200 served', '499 abandoned']);
});

for (const [what, upgrade] of Object.entries({
  'curl --http2': 'Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
  'a websocket': 'Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==',
})) {
  test(`a request that offers to switch protocols, as ${what} does, is a plain request`, async (t) => {
    const jano = await startEcho(t);
    const head = `POST /a HTTP/1.1\r\nHost: jano\r\nConnection: ${upgrade}\r\nContent-Length: 2`;

    const caller = await openRaw(t, jano.port, `${head}\r\n\r\n{}`);
    const received = await caller.until((text) => text.endsWith(';'));
    caller.socket.write('GET /health HTTP/1.1\r\nHost: jano\r\n\r\n');

    assert.match(received, /^HTTP\/1\.1 200 OK\r\n[^]*POST \/a undefined \{\};$/);
    await caller.until((text) => text.includes('"ok": true'));
    await assertEnded(jano, ['200 served']);
  });
}

test('a GET that offers HTTP/2, as Java does, is a plain request', async (t) => {
  const jano = await startEcho(t);
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk';

  const caller = await openRaw(t, jano.port, `GET /a HTTP/1.1\r\nHost: jano\r\n${offer}\r\n\r\n`);
  const received = await caller.until((text) => text.endsWith(';'));
  caller.socket.write('GET /health HTTP/1.1\r\nHost: jano\r\n\r\n');

  assert.match(received, /^HTTP\/1\.1 200 OK\r\n[^]*GET \/a undefined ;$/);
  await caller.until((text) => text.includes('"ok": true'));
  await assertEnded(jano, ['200 served']);
});

test('targets that are no URL for anybody are forwarded as they are', async (t) => {
  const jano = await startEcho(t);

  for (const target of ['//?x', '/%zz', '/a|b{"^`', '/\\a', '/a#b', '/a/../%2e%2e/b', '/?a=%zz&']) {
    const caller = await openRaw(t, jano.port, `PUT ${target} HTTP/1.1\r\nHost: jano\r\n\r\n`);
    const received = await caller.until((text) => text.endsWith(';'));
    assert.ok(received.endsWith(`PUT ${target} undefined ;`));
  }
});

test('a target with a whole URL is its path, even where the host is none', async (t) => {
  const jano = await startEcho(t);

  for (const [target, path] of [
    ['http://other/a?b', '/a?b'],
    ['http://[', '/'],
    ['http://[::x/a', '/a'],
    ['HTTPS://jano?model=qwen', '/?model=qwen'],
  ]) {
    const caller = await openRaw(t, jano.port, `PUT ${target} HTTP/1.1\r\nHost: jano\r\n\r\n`);
    const received = await caller.until((text) => text.endsWith(';'));
    assert.ok(received.endsWith(`PUT ${path} undefined ;`));
  }
  const caller = await openRaw(t, jano.port, 'GET http://jano/health HTTP/1.1\r\nHost: a\r\n\r\n');
  await caller.until((text) => text.includes('"ok": true'));
});

const malformed: Readonly<Record<string, string>> = {
  'two lengths': 'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
  'chunks twice': 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'a control byte': 'X-A: 1\x01\r\n\r\n',
  'a folded line': 'X-A: 1\r\n 2\r\n\r\n',
};

for (const [what, rest] of Object.entries(malformed)) {
  test(`a request with ${what} in its head is a 400 and reaches nobody`, async (t) => {
    let hits = 0;
    const url = await startBackend(t, () => void (hits += 1));
    const jano = await startJanoFor(t, url);

    const caller = await openRaw(t, jano.port, `POST /x HTTP/1.1\r\nHost: jano\r\n${rest}`);

    assert.match(await caller.closed(), /^HTTP\/1\.1 400 /);
    await assertEnded(jano, []);
    assert.equal(hits, 0);
  });
}

test('a head of 60 kB is taken, one of 70 kB is a 431', async (t) => {
  const jano = await startEcho(t);
  const ask = (bytes: number) =>
    openRaw(
      t,
      jano.port,
      `GET /health HTTP/1.1\r\nHost: jano\r\nX-A: ${'a'.repeat(bytes)}\r\n\r\n`,
    );

  const taken = await ask(60_000);
  const refused = await ask(70_000);

  await taken.until((text) => text.startsWith('HTTP/1.1 200 OK'));
  await refused.until((text) => text.startsWith('HTTP/1.1 431 '));
});
