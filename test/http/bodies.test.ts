import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRawBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { startJanoFor } from '../support/startJano.ts';
import { gotBy, postBeside, startTwoModels } from './twoModels.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';
const JSON_TYPE = { 'content-type': 'application/json' };
const CURL_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

test('of several models in one body the last counts, as it does for the backends', async (t) => {
  const { post } = await startTwoModels(t);
  const body = '{"model":"qwen", "a":{"model":"qwen"}, "model":"gemma", "b":[{"model":"qwen"}]}';

  assert.equal(await post(body), gotBy('gemma', body));
});

test('a model that is no text, or empty, is not named: the default one answers', async (t) => {
  const { post } = await startTwoModels(t);

  for (const model of ['7', 'null', '{"model":"gemma"}', '["gemma"]', '""', 'true']) {
    const body = `{"model":${model}}`;
    assert.equal(await post(body), gotBy('qwen', body));
  }
});

test('a model stands where it stands: not in a text, not in a list, not in a nested object', async (t) => {
  const { post } = await startTwoModels(t);

  for (const body of [
    '{"prompt":"\\"model\\":\\"gemma\\""}',
    '[{"model":"gemma"}]',
    '{"a":{"model":"gemma"}}',
    '{"a":"{\\"model\\":\\"gemma\\"}\\\\"}',
  ]) {
    assert.equal(await post(body), gotBy('qwen', body));
  }
});

test('names of JavaScript itself are models that do not exist', async (t) => {
  const { post } = await startTwoModels(t);

  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype']) {
    assert.match(await post(`{"model":"${name}"}`), new RegExp(`no model \\\\"${name}\\\\"`));
  }
});

test('JSON is JSON whatever the Content-Type says: as by curl -d, and without any', async (t) => {
  const { post } = await startTwoModels(t);
  const body = ' {"model":"gemma"}';

  assert.equal(await post(body, CURL_TYPE), gotBy('gemma', body));
  assert.equal(await post(body, {}), gotBy('gemma', body));
  assert.equal(await post(body, { 'content-type': 'text/plain' }), gotBy('gemma', body));
});

test('a byte order mark before the JSON does no harm', async (t) => {
  const { post } = await startTwoModels(t);

  assert.match(await post('\uFEFF{"model":"gemma"}'), /^gemma /);
  assert.match(await post('\uFEFF{"prompt":"hi"}'), /^qwen /);
});

test('broken JSON is told to be that where only the body could name the model', async (t) => {
  const { post } = await startTwoModels(t);
  const bodies = ['{"prompt":"hi', '{"a":1,}', '{"model" "gemma"}', '{"a":1}}'];

  for (const body of bodies) {
    for (const type of [JSON_TYPE, CURL_TYPE, {}]) {
      assert.match(await post(body, type), /not valid JSON.*"code":"malformed_json"/);
    }
  }
});

test('broken JSON goes to the model that the path, the query or a header names', async (t) => {
  const { jano, post } = await startTwoModels(t);
  const broken = '{"prompt":"hi';
  const init = { method: 'POST', body: broken, headers: JSON_TYPE };

  assert.equal(await post(broken, { ...JSON_TYPE, 'x-model': 'gemma' }), gotBy('gemma', broken));
  for (const path of ['/upstream/gemma/x', '/x?model=gemma']) {
    assert.equal(await (await fetch(jano.url + path, init)).text(), gotBy('gemma', broken));
  }
});

test('a model that only a body names that stops short is not loaded for it: a 400', async (t) => {
  const { jano } = await startTwoModels(t);

  const response = await fetch(`${jano.url}/v1/x`, {
    method: 'POST',
    body: '{"model":"gemma", "prompt":"hi',
  });

  assert.equal(response.status, 400);
  assert.match(await response.text(), /malformed_json/);
});

test('the model is found at the end of 100 MB of JSON, and others are served meanwhile', async (t) => {
  const models = await startTwoModels(t);
  const parse = t.mock.method(JSON, 'parse');
  const image = Buffer.alloc(100_000_000, 'iVBORw0KGgo\\"model\\":\\"qwen\\",');
  const body = Buffer.concat([Buffer.from('{"image":"'), image, Buffer.from('","model":"gemma"}')]);

  const { answer, others } = await postBeside(models, body);

  assert.equal(answer, gotBy('gemma', body));
  assert.ok(others > 10, `${others} others were served`);
  // That many are served beside a pause, too: but nothing that takes long is done with it in one go.
  const built = parse.mock.calls.map((call) => call.arguments[0].length);
  assert.ok(Math.max(0, ...built) <= 1024 * 1024);
});

test('a body that is no JSON at all goes to the default model as it is', async (t) => {
  const { post } = await startTwoModels(t);

  assert.equal(await post('GET /smuggled HTTP/1.1', {}), gotBy('qwen', 'GET /smuggled HTTP/1.1'));
  assert.equal(await post('\u0000\u0001', {}), gotBy('qwen', '\u0000\u0001'));
});

test('a JSON file inside a form does not name the model', async (t) => {
  const { post } = await startTwoModels(t);
  const form =
    '--b\r\nContent-Disposition: form-data; name="f"\r\n\r\n{"model":"gemma"}\r\n--b--\r\n';

  const type = { 'content-type': 'multipart/form-data; boundary=b' };
  assert.equal(await post(form, type), gotBy('qwen', form));
});

test('Ollama’s older `name` counts under /api/ only, and less than `model`', async (t) => {
  const { jano } = await startTwoModels(t);
  const ask = async (path: string, body: string): Promise<string> =>
    (await fetch(jano.url + path, { method: 'POST', body })).text();

  assert.match(await ask('/api/show', '{"name":"gemma"}'), /^gemma /);
  assert.match(await ask('/api/chat', '{"name":"gemma","model":"qwen"}'), /^qwen /);
  assert.match(await ask('/api/chat', '{"name":"gemma","model":""}'), /^gemma /);
  assert.match(await ask('/v1/chat/completions', '{"name":"gemma"}'), /^qwen /);
});

test('a request without a body reaches the backend without one, whatever its method', async (t) => {
  const arrived: string[] = [];
  const url = await startRawBackend(t, (socket, first) => {
    arrived.push(first.toString('latin1').replace(/Host: \S+\r\n/, ''));
    socket.end(OK);
  });
  const jano = await startJanoFor(t, url);

  for (const method of ['GET', 'DELETE', 'OPTIONS', 'PROPFIND', 'M-SEARCH', 'POST']) {
    const caller = await openRaw(t, jano.port, `${method} /x HTTP/1.1\r\nHost: jano\r\n\r\n`);
    await caller.until((text) => text.endsWith('{}'));
  }

  const rest = ' /x HTTP/1.1\r\nConnection: close\r\n\r\n';
  const without = ['GET', 'DELETE', 'OPTIONS', 'PROPFIND', 'M-SEARCH'].map((name) => name + rest);
  const empty = 'POST /x HTTP/1.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
  assert.deepEqual(arrived, [...without, empty]);
});

test('a body of more than a megabyte that stops short and names no model is a 400, too', async (t) => {
  const { post } = await startTwoModels(t);

  assert.match(await post(`{"messages":"${'x'.repeat(1_100_000)}`), /"malformed_json"/);
});
