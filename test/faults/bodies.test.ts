import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { assertEnded, untilRecorded } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { startJanoFor } from '../support/startJano.ts';
import { gotBy, startTwoModels } from '../http/twoModels.ts';
import { send } from './sending.ts';

const POST = 'POST /v1/x HTTP/1.1\r\nHost: jano\r\n';

test('req-01: a body that was read to find its model no longer leaves the backend waiting for it', async (t) => {
  const { lines, body } = await send(
    t,
    `${POST}Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}`,
  );

  assert.ok(lines.includes('Content-Length: 7'));
  assert.equal(body, '{"a":1}');
});

test('req-02: big numbers, duplicate keys, escapes and blanks no longer arrive as other ones', async (t) => {
  const text = String.raw`{ "model": "a", "model": "b", "seed": 9007199254740993, "t": 1.0, "e": 1e400, "u": "\u00e9é", "z": -0 }   `;
  const sent = Buffer.from(text).toString('latin1');

  const { body } = await send(t, `${POST}Content-Length: ${sent.length}\r\n\r\n${sent}`, {
    model: { aliases: ['b'] },
  });

  assert.equal(body, sent);
});

test('req-03: curl no longer waits a second for its 100 Continue, and the body arrives', async (t) => {
  const bodies: string[] = [];
  const url = await startBackend(t, async (req, res) => {
    bodies.push(`${req.headers.expect} ${(await req.toArray()).join('')}`);
    res.end('{}');
  });
  const jano = await startJanoFor(t, url);

  const caller = await openRaw(
    t,
    jano.port,
    `${POST}Content-Length: 7\r\nExpect: 100-continue\r\n\r\n`,
  );
  const early = await caller.until((text) => text.endsWith('\r\n\r\n'));
  caller.socket.write('{"a":1}');
  await caller.until((text) => text.includes('200 OK'));

  assert.equal(early, 'HTTP/1.1 100 Continue\r\n\r\n');
  assert.equal(bodies[0], 'undefined {"a":1}');
  await assertEnded(jano, ['200 served']);
});

test('req-04: a chunked body no longer arrives with both a length and chunks', async (t) => {
  const chunks = '3\r\n{"a\r\n4;x=y\r\n":1}\r\n0\r\n\r\n';

  const { lines, body } = await send(
    t,
    `${POST}Transfer-Encoding: chunked\r\nX-A: 1\r\n\r\n${chunks}`,
  );

  assert.deepEqual(lines.slice(2), ['Content-Length: 7', 'X-A: 1', 'Connection: close']);
  assert.equal(body, '{"a":1}');
});

test('req-05: a request hidden in the body of a chunked DELETE no longer becomes one of its own', async (t) => {
  const hidden = '16\r\nGET /smuggled HTTP/1.1\r\n0\r\n\r\n';
  const head = 'DELETE /x HTTP/1.1\r\nHost: jano\r\nTransfer-Encoding: chunked\r\n\r\n';

  const { lines, body } = await send(t, head + hidden);

  const [line, ...fields] = lines;
  assert.equal(line, 'DELETE /x HTTP/1.1');
  assert.deepEqual(fields, ['Host: backend', 'Content-Length: 22', 'Connection: close']);
  assert.equal(body, 'GET /smuggled HTTP/1.1');
});

test('req-05: a request with both a length and chunks no longer reaches the backend: a 400', async (t) => {
  let hits = 0;
  const url = await startBackend(t, () => void (hits += 1));
  const jano = await startJanoFor(t, url);
  const both = 'Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX';

  const caller = await openRaw(t, jano.port, POST + both);

  assert.match(await caller.closed(), /^HTTP\/1\.1 400 /);
  await assertEnded(jano, []);
  assert.equal(hits, 0);
});

for (const [size, bytes] of [
  ['150 kB', 150_000],
  ['20 MB', 20_000_000],
  ['100 MB', 100_000_000],
] as const) {
  test(`req-06: a photo of ${size} is no longer refused as too large, nor changed`, async (t) => {
    const arrived = createHash('sha256');
    const url = await startBackend(t, (req, res) => {
      req.pipe(arrived, { end: false });
      req.once('end', () => res.end('{}'));
    });
    const jano = await startJanoFor(t, url, {}, { parallel: 1 });
    const body = Buffer.alloc(bytes, Buffer.from('iVBORw0KGgo\\n"').toString('base64'));
    body.write('{"messages": [{"content": "');
    body.write('"}], "model" :"qwen" }', bytes - 22);

    const response = await fetch(`${jano.url}/v1/chat/completions`, { method: 'POST', body });

    assert.equal(response.status, 200);
    assert.equal(arrived.digest('hex'), createHash('sha256').update(body).digest('hex'));
    await assertEnded(jano, ['200 served']);
  });
}

test('req-06: a body above the limit is told so in JSON, not in HTML, and is recorded', async (t) => {
  const url = await startBackend(t, (_req, res) => res.end('{}'));
  const jano = await startJanoFor(t, url, { limits: { body: '1MiB' } }, { parallel: 1 });

  const body = Buffer.alloc(2_000_000, '{"model":"qwen","prompt":"');
  const response = await fetch(`${jano.url}/v1/x`, { method: 'POST', body });

  assert.equal(response.status, 413);
  assert.equal(response.headers.get('content-type'), 'application/json');
  assert.match(
    await response.text(),
    /^\{"error":\{"message":"the body is larger than limits\.body/,
  );
  await untilRecorded(jano, 1);
  assert.equal(jano.snapshot().ledger.requests.newest()[0]?.model, null);
  await assertEnded(jano, ['413 rejected']);
});

for (const [where, order] of [
  ['behind', (file: string, model: string) => file + model],
  ['before', (file: string, model: string) => model + file],
] as const) {
  test(`req-07: a form with its model ${where} a recording no longer goes elsewhere or arrives broken`, async (t) => {
    const { jano, post } = await startTwoModels(t);
    const recording = Buffer.alloc(
      1_000_000,
      '\xff\x00RIFF\r\nname="model"\r\n\r\nqwen\r\n--b',
      'latin1',
    );
    const file = part('name="file"; filename="a.wav"', recording.toString('latin1'));
    const parts = order(file, part('name="model"', 'gemma'));
    const form = Buffer.from(`${parts}--b 1--\r\n`, 'latin1');

    const answer = await post(form, { 'content-type': 'multipart/form-data; boundary="b 1"' });

    assert.equal(answer, gotBy('gemma', form));
    await assertEnded(jano, ['200 served']);
    const record = jano.snapshot().ledger.requests.newest().at(-1);
    assert.deepEqual([record?.model, record?.usage], ['gemma', null]);
  });
}

test('req-09: a name with a slash, a colon or é no longer breaks its path, and is recorded as configured', async (t) => {
  const names = ['unsloth/Qwen3:Q8_0', 'QWEN-chat', 'modèle-é', 'Unsloth/QWEN3:q8_0'];
  const arrived: string[] = [];
  const url = await startBackend(t, async (req, res) => {
    arrived.push(`${req.url} ${(await req.toArray()).join('')}`);
    res.end('{}');
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1, aliases: names.slice(0, 3) });

  for (const model of names) {
    const body = JSON.stringify({ model });
    await fetch(`${jano.url}/v1/files/org%2Fname:b%C3%A9`, { method: 'POST', body });
  }

  const path = '/v1/files/org%2Fname:b%C3%A9';
  assert.deepEqual(
    arrived,
    names.map((model) => `${path} ${JSON.stringify({ model })}`),
  );
  await untilRecorded(jano, 4);
  const { requests } = jano.snapshot().ledger;
  assert.deepEqual(new Set(requests.newest().map(({ model }) => model)), new Set(['qwen']));
  await assertEnded(
    jano,
    names.map(() => '200 served'),
  );
});

/** A part of a form whose boundary is "b 1". */
function part(head: string, content: string): string {
  return `--b 1\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
}
