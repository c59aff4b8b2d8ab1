import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { startBackend, startRawBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { startJanoFor } from '../support/startJano.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';

test('path, query, header names, their order and duplicates reach the backend as they came', async (t) => {
  const arrived = Promise.withResolvers<string>();
  const url = await startRawBackend(t, (socket, first) => {
    arrived.resolve(first.toString('latin1'));
    socket.end(OK);
  });
  const jano = await startJanoFor(t, url);
  const body = '{"model":"qwen"}';
  const lines = [
    'User-Agent: one',
    'X-Dup: 1',
    'x-OTHER: caf\xe9',
    'Authorization: Bearer a',
    'X-Dup: 2',
    'authorization: Bearer b',
    `Content-Length: ${body.length}`,
    'Cookie: a=1',
    'Cookie: b=2',
    'User-Agent: two',
  ];

  await openRaw(
    t,
    jano.port,
    `POST /v1//chat/../x%2Fy?a=1&a=2&b=%20+c&? HTTP/1.1\r\nHost: jano\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
  );

  const [head = '', sent] = (await arrived.promise).split('\r\n\r\n');
  const [requestLine, host, ...rest] = head.split('\r\n');
  assert.equal(requestLine, 'POST /v1//chat/../x%2Fy?a=1&a=2&b=%20+c&? HTTP/1.1');
  assert.equal(host, `Host: ${new URL(url).host}`);
  assert.deepEqual(rest, [...lines, 'Connection: close']);
  assert.equal(sent, body);
});

test('status line, headers and bytes of the answer arrive as the backend made them', async (t) => {
  const lines = [
    'X-Dup: 1',
    'SERVER: a',
    'X-dup: 2',
    'Set-Cookie: a',
    'server: b\xe9',
    'Content-Length: 3',
  ];
  const url = await startRawBackend(t, (socket) => {
    const hop =
      'Keep-Alive: timeout=5, max=100\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nUpgrade: h2c';
    const answer = `HTTP/1.1 207 Rather Odd\r\n${lines.join('\r\n')}\r\n${hop}\r\n\r\nabc`;
    socket.end(Buffer.from(answer, 'latin1'));
  });
  const jano = await startJanoFor(t, url);

  const caller = await openRaw(t, jano.port, 'GET /x HTTP/1.1\r\nHost: jano\r\n\r\n');
  const received = await caller.until((text) => text.endsWith('abc'));

  assert.deepEqual(received.split('\r\n'), [
    'HTTP/1.1 207 Rather Odd',
    ...lines,
    'Connection: keep-alive',
    'Keep-Alive: timeout=75',
    '',
    'abc',
  ]);
});

test('trailers of an answer are passed on', async (t) => {
  const url = await startBackend(t, (_req, res) => {
    res.writeHead(200, { Trailer: 'X-Sum' });
    res.write('abc');
    res.addTrailers({ 'X-Sum': '42' });
    res.end();
  });
  const jano = await startJanoFor(t, url);

  const caller = await openRaw(t, jano.port, 'GET /x HTTP/1.1\r\nHost: jano\r\n\r\n');

  assert.match(
    await caller.until((text) => text.endsWith('\r\n\r\n') && text.includes('abc')),
    /0\r\nX-Sum: 42\r\n\r\n$/,
  );
});

test('a request line with a whole URL is forwarded as its path', async (t) => {
  const arrived = Promise.withResolvers<string | undefined>();
  const url = await startBackend(t, (req, res) => {
    arrived.resolve(req.url);
    res.end();
  });
  const jano = await startJanoFor(t, url);

  await openRaw(t, jano.port, 'GET http://jano/a//b?c HTTP/1.1\r\nHost: jano\r\n\r\n');

  assert.equal(await arrived.promise, '/a//b?c');
});

test('a stream of 100,000 events has the same sha256 on both sides', async (t) => {
  const sent = createHash('sha256');
  const url = await startBackend(t, async (_req, res) => {
    res.setHeader('content-type', 'text/event-stream');
    for (let index = 0; index < 100_000; index++) {
      // Of strings with such letters Node's own server forgets to emit 'drain'.
      const event = Buffer.from(`data: {"choices":[{"delta":{"content":"${index} é渐🌍"}}]}\n\n`);
      sent.update(event);
      if (!res.write(event)) await once(res, 'drain');
    }
    res.end();
  });
  const jano = await startJanoFor(t, url);

  const response = await fetch(`${jano.url}/v1/chat/completions`);
  const received = createHash('sha256');
  for await (const chunk of response.body ?? []) received.update(chunk);

  assert.equal(received.digest('hex'), sent.digest('hex'));
});
