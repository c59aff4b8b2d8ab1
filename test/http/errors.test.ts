import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { assertEnded, assertIdle, endingsOf, untilRecorded } from '../support/aftermath.ts';
import { REFUSING_URL, startBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { type RunningJano, startJano, startJanoFor } from '../support/startJano.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

async function startServing(t: TestContext): Promise<RunningJano> {
  const url = await startBackend(t, (_req, res) => res.end('{}'));
  return startJanoFor(t, url, {}, { parallel: 1 });
}

async function post(jano: RunningJano, path: string, body = ''): Promise<Response> {
  return fetch(jano.url + path, { method: 'POST', body, headers: JSON_TYPE });
}

test('an unknown model is a 404 that names those there are, in the shape of the path', async (t) => {
  const jano = await startServing(t);
  const message = 'no model "gpt-9"; configured are: qwen';
  const openai = {
    error: { message, type: 'invalid_request_error', param: null, code: 'model_not_found' },
  };
  const anthropic = { type: 'error', error: { type: 'not_found_error', message } };

  for (const [path, shape] of Object.entries({
    '/v1/chat/completions': openai,
    '/v1/messages-of-others': openai,
    '/completion': openai,
    '/v1/messages': anthropic,
    '/v1/messages?beta=true': anthropic,
    '/v1/messages/count_tokens': anthropic,
    '/api/chat': { error: message },
  })) {
    const response = await post(jano, path, '{"model":"gpt-9"}');
    assert.equal(response.status, 404);
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.deepEqual(await response.json(), shape);
  }
  await untilRecorded(jano, 7);
  assert.deepEqual(new Set(endingsOf(jano)), new Set(['404 rejected']));
});

test('/upstream/ with an unknown model is a 404; what stands behind a known one has its shape', async (t) => {
  const url = REFUSING_URL;
  const jano = await startJano(t, { models: [{ name: 'qwen', url, pinned: true }] });

  const unknown = await post(jano, '/upstream/gpt-9/v1/x');
  const known = await post(jano, '/upstream/qwen/api/chat');
  const none = await post(jano, '/upstream?x=1');

  assert.equal(unknown.status, 404);
  assert.equal(none.status, 404);
  assert.match(await unknown.text(), /no model \\"gpt-9\/v1\/x\\"; configured are: qwen/);
  const message = 'the backend of "qwen" failed before it answered: connection refused';
  assert.deepEqual(await known.json(), { error: message });
});

test('a very long name of a model is not repeated in full', async (t) => {
  const jano = await startServing(t);
  const name = 'x'.repeat(4000);

  for (const response of [
    await post(jano, '/v1/x', `{"model":"${name}"}`),
    await post(jano, `/v1/x?model=${name}`),
    await post(jano, `/upstream/${name}/v1/x`),
    await fetch(`${jano.url}/v1/models/${name}`),
  ]) {
    assert.equal(response.status, 404);
    assert.ok((await response.text()).length < 500);
  }
});

test('broken JSON is a 400, a refused connection a 502, in the shape of the path', async (t) => {
  const url = REFUSING_URL;
  const jano = await startJano(t, { models: [{ name: 'qwen', url, pinned: true }] });

  const errors = ['{"a', '{}'].map(async (body) => {
    const response = await post(jano, '/v1/messages', body);
    const { error }: { error?: { type?: string } } = Object(await response.json());
    return `${response.status} ${error?.type}`;
  });

  assert.deepEqual(await Promise.all(errors), ['400 invalid_request_error', '502 api_error']);
});

test('a model that cannot be loaded is a 503 that says why and when to come back', async (t) => {
  const url = REFUSING_URL;
  const swap = { command: ['sh', '-c', 'echo no such file >&2; exit 7'], timeout: '5s' };
  const jano = await startJano(t, { models: [{ name: 'qwen', url }], swap });

  const response = await post(jano, '/v1/messages', '{}');

  assert.equal(response.status, 503);
  assert.equal(response.headers.get('retry-after'), '30');
  assert.match(
    await response.text(),
    /overloaded_error.*\\"qwen\\" could not be loaded.*no such file/,
  );
  await untilRecorded(jano, 1);
  assert.deepEqual(endingsOf(jano), ['503 rejected']);
  assertIdle(jano);
});

test('what only looks does not load a model: a 503 that says so, for OPTIONS a 404', async (t) => {
  const url = REFUSING_URL;
  const jano = await startJano(t, { models: [{ name: 'qwen', url }], swap: { command: 'false' } });

  const asked = [
    'GET /props',
    'HEAD /favicon.ico',
    'OPTIONS /v1/chat/completions',
    'POST /api/show',
  ];
  const statuses: number[] = [];
  for (const [method = '', path] of asked.map((line) => line.split(' '))) {
    const response = await fetch(`${jano.url}${path}`, { method });
    statuses.push(response.status);
    if (method === 'GET')
      assert.match(await response.text(), /\\"qwen\\" is not loaded, and a request of this kind/);
  }

  assert.deepEqual(statuses, [503, 503, 404, 503]);
  await untilRecorded(jano, 3);
  assert.deepEqual(endingsOf(jano), ['503 rejected', '503 rejected', '503 rejected']);
  assert.equal(jano.snapshot().ledger.swapFailuresTotal, 0);
});

test('after each of Jano’s own errors the connection can be used again', async (t) => {
  const jano = await startServing(t);
  const head = 'POST /v1/x HTTP/1.1\r\nHost: jano\r\nContent-Type: application/json\r\n';

  const caller = await openRaw(t, jano.port, '');
  for (const [body, status] of [
    ['{"model":"gpt-9"}', 404],
    ['{"a', 400],
    ['{"model":"qwen"}', 200],
  ] as const) {
    const before = caller.received().length;
    caller.socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    const received = await caller.until((text) => text.slice(before).endsWith('}'));
    assert.match(received.slice(before), new RegExp(`^HTTP/1\\.1 ${status} `));
  }

  await assertEnded(jano, ['404 rejected', '400 rejected', '200 served']);
});
