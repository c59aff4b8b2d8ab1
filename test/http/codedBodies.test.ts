import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { assertEnded } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { startJanoFor } from '../support/startJano.ts';
import { gotBy, startTwoModels } from './twoModels.ts';

const JSON_BODY = Buffer.from(`{"messages":"${'long '.repeat(50_000)}","model":"gemma"}`);
const FORM = '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\ngemma\r\n--b--\r\n';

for (const [coding, compress] of Object.entries({
  gzip: gzipSync,
  'x-gzip': gzipSync,
  GZIP: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
})) {
  test(`the model is found in a body of the coding ${coding}, and its bytes stay as they are`, async (t) => {
    const { post } = await startTwoModels(t);
    const body = compress(JSON_BODY);

    assert.equal(await post(body, { 'content-encoding': coding }), gotBy('gemma', body));
  });
}

test('what is called deflate is also understood without its head', async (t) => {
  const { post } = await startTwoModels(t);
  const body = deflateRawSync(JSON_BODY);

  assert.equal(await post(body, { 'content-encoding': 'deflate' }), gotBy('gemma', body));
});

test('a body coded twice is decoded twice, and a coded form is still a form', async (t) => {
  const { post } = await startTwoModels(t);
  const twice = gzipSync(deflateSync(JSON_BODY));
  const form = gzipSync(FORM);

  assert.equal(await post(twice, { 'content-encoding': 'deflate, gzip' }), gotBy('gemma', twice));
  const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-encoding': 'gzip' };
  assert.equal(await post(form, headers), gotBy('gemma', form));
});

test('identity is no coding, and what nobody can decode is looked at as it is', async (t) => {
  const { post } = await startTwoModels(t);

  const plain = await post(JSON_BODY, { 'content-encoding': 'identity' });
  const unknown = await post(JSON_BODY, { 'content-encoding': 'aes128gcm' });

  assert.equal(plain, gotBy('gemma', JSON_BODY));
  assert.equal(unknown, gotBy('gemma', JSON_BODY));
});

for (const [what, body] of Object.entries({
  'is not coded as it says': JSON_BODY,
  'is cut short': gzipSync(JSON_BODY).subarray(0, 100),
})) {
  test(`a body that ${what} is a 400 where only the body could name the model`, async (t) => {
    const { jano, post } = await startTwoModels(t);
    const gzip = { 'content-encoding': 'gzip' };

    assert.match(await post(body, gzip), /its Content-Encoding \(gzip\).*"undecodable_body"/);
    const named = await post(body, { ...gzip, 'x-model': 'gemma' });
    assert.equal(named, gotBy('gemma', body));
    await assertEnded(jano, ['400 rejected', '200 served']);
  });
}

test('an empty body is no broken one, whatever its coding', async (t) => {
  const { post } = await startTwoModels(t);

  assert.equal(await post('', { 'content-encoding': 'gzip' }), gotBy('qwen', ''));
});

test('a body that is too large once it is decoded is a 413', async (t) => {
  const { jano, post } = await startTwoModels(t, { limits: { body: '1MiB' } });
  const bomb = gzipSync(Buffer.alloc(200_000_000));

  assert.match(await post(bomb, { 'content-encoding': 'gzip' }), /larger than limits\.body/);
  await assertEnded(jano, ['413 rejected']);
});

test('a body coded more than twice is looked at as it is', async (t) => {
  const { post } = await startTwoModels(t);
  const thrice = gzipSync(gzipSync(gzipSync(JSON_BODY)));

  assert.equal(
    await post(thrice, { 'content-encoding': 'gzip, gzip, gzip' }),
    gotBy('qwen', thrice),
  );
});

test('a caller that leaves while its body is decoded takes no slot', async (t) => {
  const url = await startBackend(t, (_req, res) => void res.end('{}'));
  const jano = await startJanoFor(t, url, { limits: { body: 0 } }, { parallel: 1 });
  const body = gzipSync(Buffer.alloc(150_000_000));
  const head = `POST /v1/x HTTP/1.1\r\nHost: jano\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
  const arrived = Promise.withResolvers<void>();
  jano.server.once('request', (req) => req.once('end', () => arrived.resolve()));

  const caller = await openRaw(t, jano.port, Buffer.concat([Buffer.from(head), body]));
  await arrived.promise;
  caller.socket.resetAndDestroy();

  const post = () =>
    fetch(`${jano.url}/v1/x`, { method: 'POST', headers: { 'Content-Encoding': 'gzip' }, body });

  // Once the first of them has been decoded, so has the one before; they need the only slot.
  assert.equal((await post()).status, 200);
  assert.equal((await post()).status, 200);
  await assertEnded(jano, ['499 abandoned', '200 served', '200 served']);
});
