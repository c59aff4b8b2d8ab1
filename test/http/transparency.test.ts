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

test('headers of one connection and a Connection list are not passed on', async (t) => {
  const arrived = Promise.withResolvers<string>();
  const url = await startRawBackend(t, (socket, first) => {
    arrived.resolve(first.toString('latin1'));
    socket.end(OK);
  });
  const jano = await startJanoFor(t, url);
  const hop =
    'Connection: keep-alive, X-Secret-Hop\r\nX-Secret-Hop: 1\r\nTE: trailers\r\nKeep-Alive: 3\r\nProxy-Connection: keep-alive';

  await openRaw(t, jano.port, `GET /x HTTP/1.1\r\nHost: jano\r\n${hop}\r\nX-Kept: 1\r\n\r\n`);

  const head = (await arrived.promise).trimEnd().split('\r\n');
  assert.deepEqual(head.slice(2), ['X-Kept: 1', 'Connection: close']);
});

test('a chunked body arrives whole, with a Content-Length in place of the chunks', async (t) => {
  const arrived = Promise.withResolvers<string>();
  const url = await startRawBackend(t, (socket, first) => {
    arrived.resolve(first.toString('latin1'));
    socket.end(OK);
  });
  const jano = await startJanoFor(t, url);
  const chunked =
    'Transfer-Encoding: chunked\r\nX-A: 1\r\n\r\n3\r\n{"a\r\n4;x=y\r\n":1}\r\n0\r\n\r\n';

  await openRaw(t, jano.port, `POST /x HTTP/1.1\r\nHost: jano\r\n${chunked}`);

  const [head = '', body] = (await arrived.promise).split('\r\n\r\n');
  assert.deepEqual(head.split('\r\n').slice(2), [
    'Content-Length: 7',
    'X-A: 1',
    'Connection: close',
  ]);
  assert.equal(body, '{"a":1}');
});

test('a caller that expects 100-continue gets it, and the backend gets the body', async (t) => {
  const bodies: string[] = [];
  const url = await startBackend(t, async (req, res) => {
    bodies.push(`${req.headers.expect} ${(await req.toArray()).join('')}`);
    res.end('{}');
  });
  const jano = await startJanoFor(t, url);
  const head =
    'POST /x HTTP/1.1\r\nHost: jano\r\nContent-Length: 7\r\nExpect: 100-continue\r\n\r\n';

  const caller = await openRaw(t, jano.port, head);
  await caller.until((text) => text.includes('100 Continue'));
  caller.socket.write('{"a":1}');
  await caller.until((text) => text.includes('200 OK'));

  assert.deepEqual(bodies, ['undefined {"a":1}']);
});

test('the head of an answer is not held back until its first byte', async (t) => {
  const goOn = Promise.withResolvers<void>();
  const url = await startBackend(t, async (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.flushHeaders();
    await goOn.promise;
    res.end('data: late\n\n');
  });
  const jano = await startJanoFor(t, url);

  const response = await fetch(`${jano.url}/x`);
  const contentType = response.headers.get('content-type');
  goOn.resolve();

  assert.equal(contentType, 'text/event-stream');
  assert.equal(await response.text(), 'data: late\n\n');
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

test('a 20 MB body has the same sha256 on both sides', async (t) => {
  const backendHash = createHash('sha256');
  const url = await startBackend(t, (req, res) => {
    req.pipe(backendHash, { end: false });
    req.once('end', () => res.end('{}'));
  });
  const jano = await startJanoFor(t, url);
  const image = Buffer.from('iVBORw0KGgo\\n"').toString('base64').repeat(1_200_000);
  const body = `{"messages": [{"content": "${image}"}], "model" :"qwen" }`;

  const response = await fetch(`${jano.url}/v1/chat/completions`, { method: 'POST', body });

  assert.equal(response.status, 200);
  assert.ok(body.length > 20_000_000);
  assert.equal(backendHash.digest('hex'), createHash('sha256').update(body).digest('hex'));
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

test('each event arrives before the next is made', async (t) => {
  const events = ['data: a\n\n', ': ping\n\n', 'data: b\n\n', 'data: [DONE]\n\n'];
  let next: (() => void) | undefined;
  const url = await startBackend(t, (_req, res) => {
    res.setHeader('content-type', 'text/event-stream');
    const left = [...events];
    next = () => (left.length > 0 ? res.write(left.shift()) : res.end());
    next();
  });
  const jano = await startJanoFor(t, url);

  const response = await fetch(`${jano.url}/v1/chat/completions`);
  const arrived: string[] = [];
  for await (const chunk of response.body ?? []) {
    arrived.push(Buffer.from(chunk).toString('utf8'));
    next?.();
  }

  assert.deepEqual(arrived, events);
});
