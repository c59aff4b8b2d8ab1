import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { assertIdle, endingsOf, untilRecorded } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { type RawConfig, type RunningJano, startJanoFor } from '../support/startJano.ts';

const LONG_KEY = `sk-${'k'.repeat(200)}`;

/** Jano with two keys, in front of a backend that answers with the keys that it got to see. */
async function startLocked(
  t: TestContext,
  auth: RawConfig = {},
  model: RawConfig = {},
): Promise<RunningJano> {
  const url = await startBackend(t, ({ headers }, res) => {
    res.end(JSON.stringify([headers.authorization, headers['x-api-key']]));
  });
  const keys = { anna: 'secret-a', ben: LONG_KEY };
  return startJanoFor(t, url, { auth: { keys, ...auth } }, model);
}

function ask(jano: RunningJano, path: string, headers = {}): Promise<Response> {
  return fetch(jano.url + path, { headers });
}

test('without a key or with a wrong one there is a 401, in the shape of the path', async (t) => {
  const jano = await startLocked(t);
  const message = 'a key is needed: send it as "Authorization: Bearer <key>" or x-api-key';
  const error = { message, type: 'authentication_error', param: null, code: 'invalid_api_key' };

  for (const [path, shape] of Object.entries({
    '/v1/x': { error },
    '/status': { error },
    '/upstream/qwen/x': { error },
    '/v1/messages': { type: 'error', error: { type: 'authentication_error', message } },
    '/api/tags': { error: message },
  })) {
    for (const headers of [{}, { authorization: 'Bearer secret' }, { 'x-api-key': 'secret-b' }]) {
      const response = await ask(jano, path, headers);
      assert.equal(response.status, 401);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer');
      assert.deepEqual(await response.json(), shape);
    }
  }
  assertIdle(jano);
  assert.deepEqual(endingsOf(jano), []);
});

test('a key opens in either header, however long it is; the backend does not see it', async (t) => {
  const jano = await startLocked(t);

  for (const key of ['secret-a', LONG_KEY]) {
    for (const headers of [{ authorization: `bearer ${key}` }, { 'x-api-key': key }]) {
      assert.deepEqual(await (await ask(jano, '/x', headers)).json(), [null, null]);
    }
  }
});

test('a key for the backend beside Jano’s own is passed on', async (t) => {
  const jano = await startLocked(t);
  const theirs = { authorization: 'Bearer theirs', 'x-api-key': 'secret-a' };
  const ours = { authorization: 'Bearer secret-a', 'x-api-key': 'theirs' };

  assert.deepEqual(await (await ask(jano, '/x', theirs)).json(), ['Bearer theirs', null]);
  assert.deepEqual(await (await ask(jano, '/x', ours)).json(), [null, 'theirs']);
});

test('where no keys are configured, all may ask, and every key is passed on', async (t) => {
  const jano = await startLocked(t, { keys: {} });

  const response = await ask(jano, '/x', { authorization: 'Bearer any', 'x-api-key': 'other' });

  assert.deepEqual(await response.json(), ['Bearer any', 'other']);
});

test('the key of the config for a backend takes the place of the caller’s', async (t) => {
  const jano = await startLocked(t, {}, { headers: { Authorization: 'Bearer configured' } });

  const response = await ask(jano, '/x', { authorization: 'Bearer secret-a' });

  assert.deepEqual(await response.json(), ['Bearer configured', null]);
});

test('a caller is called by the name of its key, unless it names itself', async (t) => {
  const jano = await startLocked(t);

  await ask(jano, '/x', { authorization: 'Bearer secret-a' });
  await ask(jano, '/x', { 'x-api-key': LONG_KEY, 'x-session-id': 's1' });
  await ask(jano, '/x', { 'x-api-key': LONG_KEY, 'x-caller': 'bën' });
  await untilRecorded(jano, 3);

  const callers = jano
    .snapshot()
    .ledger.requests.newest()
    .map(({ caller }) => caller);
  assert.deepEqual(callers.toReversed(), ['anna', 'ben', 'bën']);
});

test('without keys a caller is its session, its key’s fingerprint, or its program and address', async (t) => {
  const jano = await startLocked(t, { keys: {} });

  await ask(jano, '/x', { 'user-agent': 'curl/8', 'x-openwebui-chat-id': 'chat-1' });
  await ask(jano, '/x', { 'user-agent': 'curl/8', authorization: `Bearer ${LONG_KEY}` });
  await ask(jano, '/x', { 'user-agent': 'curl/8' });
  await untilRecorded(jano, 3);

  const callers = jano
    .snapshot()
    .ledger.requests.newest()
    .map(({ caller }) => caller);
  const [session, key, program] = callers.toReversed();
  assert.equal(session, 'chat-1');
  assert.match(key ?? '', /^key:[0-9a-f]{8}$/);
  assert.match(program ?? '', /^curl\/8 (::ffff:)?127\.0\.0\.1$/);
});

test('only /health is open at first; the config can open others of Jano’s own routes, never a backend', async (t) => {
  const usual = await startLocked(t);
  const opened = await startLocked(t, { open: ['status', 'v1/models'] });

  for (const [path, closed, open] of [
    ['/health', 200, 401],
    ['/health?x', 200, 401],
    ['/healthy', 401, 401],
    ['/health/x', 401, 401],
    ['/status', 401, 200],
    ['/v1/models', 401, 200],
    ['/v1/models/qwen', 401, 200],
    ['/v1/x', 401, 401],
    ['/', 401, 401],
  ] as const) {
    const statuses = [(await ask(usual, path)).status, (await ask(opened, path)).status];
    assert.deepEqual([path, ...statuses], [path, closed, open]);
  }
});

test('an open route is open to look at, not to send something to its namesake of a backend', async (t) => {
  const jano = await startLocked(t);

  for (const line of ['POST /health', 'GET /health/x', 'GET /health/../v1/x', 'GET //health']) {
    const caller = await openRaw(t, jano.port, `${line} HTTP/1.1\r\nHost: jano\r\n\r\n`);
    assert.match(await caller.until((text) => text.endsWith('}')), /^HTTP\/1\.1 401 /);
  }
});

test('after a 401 the connection can be used again, the body that came with it forgotten', async (t) => {
  const jano = await startLocked(t);
  const post = 'POST /v1/x HTTP/1.1\r\nHost: jano\r\nContent-Length: 2\r\n\r\n{}';

  const caller = await openRaw(t, jano.port, post);
  await caller.until((text) => text.includes('invalid_api_key'));
  caller.socket.write(post.replace('Host', 'X-Api-Key: secret-a\r\nHost'));

  await caller.until((text) => text.includes('[null,null]'));
});

test('a browser may ask without a key whether it may send one', async (t) => {
  const jano = await startLocked(t);
  const preflight = { Origin: 'http://page', 'Access-Control-Request-Method': 'POST' };
  const options = (headers: Readonly<Record<string, string>>) =>
    fetch(`${jano.url}/v1/x`, { method: 'OPTIONS', headers });

  assert.equal((await options(preflight)).status, 200);
  assert.equal((await options({ Origin: 'http://page' })).status, 401);
});
