import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { JsonReader } from '../../src/http/body/jsonReader.ts';
import { UrlEncodedReader } from '../../src/http/body/urlEncodedReader.ts';
import { assertEnded } from '../support/aftermath.ts';
import { gotBy, postBeside, startTwoModels } from './twoModels.ts';

const FORM = { 'content-type': 'multipart/form-data; boundary=b' };
const MODEL = '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\ngemma\r\n';
const END = '--b--\r\n';
const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';

/** A sound in which everything stands that could be taken for the form itself. */
const WILD = Buffer.concat([
  randomBytes(50_000),
  Buffer.from('\r\n--B\r\nname="model"\r\n\r\nqwen\r\n--c\r\n\r\n-b--\r\n {"model":"qwen"}\r\n-'),
  randomBytes(50_000),
]);

for (const [where, form] of Object.entries({
  'before the file': [MODEL, FILE, WILD, '\r\n', END],
  'behind the file': [FILE, WILD, '\r\n', MODEL, END],
  'behind a text field': [
    '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\ny\r\n',
    MODEL,
    END,
  ],
  'behind a preamble, and before an epilogue': ['one\r\n', MODEL, END, 'two\r\n--b\r\n'],
  'with a type of its own': [
    '--b\r\ncontent-type: text/plain; charset=utf-8\r\nCONTENT-DISPOSITION: form-data; name=model\r\n\r\n',
    `gemma\r\n${END}`,
  ],
})) {
  test(`the model of a form is found ${where}, and its bytes stay as they are`, async (t) => {
    const { post } = await startTwoModels(t);
    const body = Buffer.concat(form.map((part) => Buffer.from(part)));

    assert.equal(await post(body, FORM), gotBy('gemma', body));
  });
}

test('a boundary may be quoted, the type in capitals, with more parameters', async (t) => {
  const { post } = await startTwoModels(t);
  const body = (MODEL + END).replaceAll('--b', '--a (b) c');

  const type = 'Multipart/Form-Data; charset=utf-8; Boundary="a (b) c"';
  assert.equal(await post(body, { 'content-type': type }), gotBy('gemma', body));
});

test('of several models in a form the last counts; a file of that name does not', async (t) => {
  const { post } = await startTwoModels(t);
  const twice = MODEL.replace('gemma', 'qwen') + MODEL + END;
  const file = MODEL.replace('"model"', '"model"; filename="model"') + END;

  assert.equal(await post(twice, FORM), gotBy('gemma', twice));
  assert.equal(await post(file, FORM), gotBy('qwen', file));
});

test('a form cut short in its file names no model: a 400 that says so', async (t) => {
  const { jano, post } = await startTwoModels(t);

  assert.match(await post(FILE + 'abc', FORM), /no valid multipart\/form-data.*"malformed_form"/);
  assert.match(await post('', FORM), /"code":"malformed_form"/);
  await assertEnded(jano, ['400 rejected', '400 rejected']);
});

test('a broken form goes to the model that a header or the query names', async (t) => {
  const { jano, post } = await startTwoModels(t);

  assert.equal(await post(FILE, { ...FORM, 'x-model': 'gemma' }), gotBy('gemma', FILE));
  const init = { method: 'POST', body: FILE, headers: FORM };
  const response = await fetch(`${jano.url}/v1/x?model=gemma`, init);
  assert.equal(await response.text(), gotBy('gemma', FILE));
});

test('a form without a boundary is no form: JSON is tried', async (t) => {
  const { post } = await startTwoModels(t);
  const type = { 'content-type': 'multipart/form-data' };

  assert.equal(await post(MODEL + END, type), gotBy('qwen', MODEL + END));
  assert.equal(await post('{"model":"gemma"}', type), gotBy('gemma', '{"model":"gemma"}'));
});

test('a boundary that is too long to be one is none: JSON is tried', async (t) => {
  const { post } = await startTwoModels(t);
  const type = `multipart/form-data; boundary=${'b'.repeat(300)}`;

  assert.equal(
    await post('{"model":"gemma"}', { 'content-type': type }),
    gotBy('gemma', '{"model":"gemma"}'),
  );
  assert.equal(await post('--b', { 'content-type': type }), gotBy('qwen', '--b'));
});

test('the model is found behind a file of 200 MB, and others are served meanwhile', async (t) => {
  const models = await startTwoModels(t);
  const body = Buffer.concat([
    Buffer.from(FILE),
    Buffer.alloc(200_000_000, WILD),
    Buffer.from(`\r\n${MODEL}${END}`),
  ]);

  const { answer, others } = await postBeside(models, body, FORM);

  assert.equal(answer, gotBy('gemma', body));
  assert.ok(others > 10, `${others} others were served`);
});

test('the model of an url-encoded form is found', async (t) => {
  const { post } = await startTwoModels(t);
  const type = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };

  for (const form of ['model=gemma', 'a=b+c&model=%67emma&d=%7B', 'model=qwen&model=gemma']) {
    assert.equal(await post(form, type), gotBy('gemma', form));
  }
  assert.equal(await post('a=model%3Dgemma', type), gotBy('qwen', 'a=model%3Dgemma'));
  assert.match(await post('model=nobody', type), /no model \\"nobody\\"/);
});

test('a form of half a million empty fields is read in no time', async () => {
  const reader = new UrlEncodedReader(new JsonReader(false));
  reader.push(Buffer.from(`model=gemma&${'a&'.repeat(500_000)}`));
  await reader.finish();

  // Each took eight seconds.
  const found = Array.from({ length: 50 }, () => reader.get('model'));

  assert.deepEqual(new Set(found), new Set(['gemma']));
});

test('an url-encoded form may escape its names, and of several models the last counts', async (t) => {
  const { post } = await startTwoModels(t);
  const body = 'model=none&%6dodel=ge%6Dma&a=%zz&b';
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };

  assert.equal(await post(body, headers), gotBy('gemma', body));
});
