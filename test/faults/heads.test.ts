import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEnded } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { startMachine } from '../support/machine.ts';
import { startJano, startJanoFor } from '../support/startJano.ts';
import { send } from './sending.ts';

for (const target of [
  '/v1/embeddings?a=1&a=2&b=%20+c',
  '/v1/embeddings?',
  '/v1/engines/x/completions?model=qwen&%00=%zz',
]) {
  test(`req-11: ${target} no longer loses its /v1 or its query on the way`, async (t) => {
    const { lines } = await send(t, `GET ${target} HTTP/1.1\r\nHost: jano\r\n\r\n`);

    assert.equal(lines[0], `GET ${target} HTTP/1.1`);
  });
}

test('req-12: a browser’s preflight and its answer no longer have two values for one origin', async (t) => {
  const url = await startBackend(t, (req, res) => {
    res.setHeader('Access-Control-Allow-Origin', '*');
    res.end(req.method);
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });
  const headers = {
    Origin: 'http://page',
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'x-stainless-os',
  };

  const preflight = await fetch(`${jano.url}/v1/chat/completions`, { method: 'OPTIONS', headers });
  const answer = await fetch(`${jano.url}/v1/chat/completions`, { method: 'POST', headers });

  for (const response of [preflight, answer]) {
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
  }
  assert.deepEqual([await preflight.text(), await answer.text()], ['OPTIONS', 'POST']);
  // Of the preflight there is no record.
  await assertEnded(jano, ['200 served']);
});

test('req-12: a browser’s preflight no longer loads a model', async (t) => {
  const machine = await startMachine(t, ['qwen'], (_model, _req, res) => res.end());
  const { models, command } = machine;
  const jano = await startJano(t, { models, swap: { command, poll: '10ms' } });

  const response = await fetch(`${jano.url}/v1/chat/completions`, { method: 'OPTIONS' });

  assert.equal(response.status, 404);
  assert.deepEqual(machine.swaps(), []);
  assert.equal(jano.snapshot().ledger.requests.newest().length, 0);
});

test('req-13: headers of one connection no longer leak into the next, in either direction', async (t) => {
  const asked =
    'Connection: keep-alive, X-Secret-Hop\r\nX-Secret-Hop: 1\r\nTE: trailers\r\nKeep-Alive: 3\r\nProxy-Connection: keep-alive\r\nX-Kept: 1';
  const told =
    'Keep-Alive: timeout=5, max=100\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nUpgrade: h2c\r\nProxy-Authenticate: Basic\r\nX-Kept: 2';

  const { lines, received } = await send(t, `GET /x HTTP/1.1\r\nHost: jano\r\n${asked}\r\n\r\n`, {
    answer: `HTTP/1.1 200 OK\r\n${told}\r\nContent-Length: 2\r\n\r\n{}`,
  });

  assert.deepEqual(lines.slice(1), ['Host: backend', 'X-Kept: 1', 'Connection: close']);
  assert.deepEqual(received.split('\r\n').slice(1), [
    'X-Kept: 2',
    'Content-Length: 2',
    'Connection: keep-alive',
    'Keep-Alive: timeout=75',
    '',
    '{}',
  ]);
});

test('req-18: keys and traces no longer get lost, and no key is kept in what Jano tells', async (t) => {
  const headers = [
    'Authorization: Bearer s3cret',
    'X-Trace: 1',
    'Accept: text/event-stream',
    'User-Agent: curl/8',
    'Cookie: a=s3cret; b=2',
  ];

  const { jano, lines } = await send(
    t,
    `POST /v1/x HTTP/1.1\r\nHost: jano\r\n${headers.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`,
  );

  assert.deepEqual(lines.slice(1, -1), ['Host: backend', ...headers, 'Content-Length: 0']);
  const { ledger, ...rest } = jano.snapshot();
  assert.doesNotMatch(JSON.stringify([rest, ledger.requests.newest()]), /s3cret/);
  assert.doesNotMatch(await (await fetch(`${jano.url}/status`)).text(), /s3cret/);
});
