import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import {
  brotliCompressSync,
  constants,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import type { RequestRecord } from '../../src/core/record.ts';
import { AnswerTap } from '../../src/http/answerTap.ts';
import { endingsOf, untilRecorded, untilShown } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { type RunningJano, startJanoFor } from '../support/startJano.ts';

const USAGE = '"usage":{"prompt_tokens":75,"completion_tokens":30}';
const JSON_ANSWER = Buffer.from(`{"choices":[],"padding":"${'x'.repeat(200_000)}",${USAGE}}`);
const EVENT = `data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}\n\n`;
const REQUEST =
  'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 16\r\n\r\n{"model":"qwen"}';
const STREAM = Buffer.from(
  `${EVENT.repeat(5000)}data: {"choices":[],${USAGE}}\n\ndata: [DONE]\n\n`,
);

for (const [name, coding, compress] of [
  ['gzip', 'gzip', gzipSync],
  ['gzip in capitals', 'GZIP', gzipSync],
  ['x-gzip', 'x-gzip', gzipSync],
  ['deflate', 'deflate', deflateSync],
  ['deflate without its head', 'deflate', deflateRawSync],
  ['br', 'br', brotliCompressSync],
  ['zstd', 'zstd', zstdCompressSync],
  ['two of them', 'deflate, gzip', (body: Buffer) => gzipSync(deflateSync(body))],
] as const) {
  test(`the tokens of an answer coded with ${name} are counted, and its bytes stay as they are`, async (t) => {
    for (const [type, body] of [
      ['application/json', JSON_ANSWER],
      ['text/event-stream', STREAM],
    ] as const) {
      const coded = compress(body);
      const { jano, answer } = await ask(t, coding, type, (res) => res.end(coded));
      const { usage, unmetered } = await recordOf(jano);

      assert.deepEqual(answer, coded);
      assert.deepEqual([usage?.inputTokens, usage?.outputTokens, unmetered], [75, 30, null]);
    }
  });
}

test('the events of a coded stream are timed as they pass', async (t) => {
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
  const { jano } = await ask(t, 'gzip', 'text/event-stream', (res) => {
    gzip.pipe(res);
    gzip.write(STREAM);
    gzip.end();
  });
  const { firstTokenAt, lastEventAt, dispatchedAt, endedAt } = await recordOf(jano);

  assert.ok(firstTokenAt !== null && lastEventAt !== null && dispatchedAt !== null);
  assert.ok(dispatchedAt <= firstTokenAt && firstTokenAt <= lastEventAt && lastEventAt <= endedAt);
});

for (const [what, coding, body] of [
  ['of a coding that nobody knows', 'aes128gcm', JSON_ANSWER],
  ['of three codings', 'gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(JSON_ANSWER)))],
  ['that is not coded as it says', 'gzip', JSON_ANSWER],
] as const) {
  test(`an answer ${what} passes as it is, and its tokens are unknown`, async (t) => {
    const { jano, answer } = await ask(t, coding, 'application/json', (res) => res.end(body));
    const { usage, unmetered, outcome } = await recordOf(jano);

    assert.deepEqual(answer, body);
    assert.deepEqual([usage, unmetered, outcome], [null, 'compressed', 'served']);
  });
}

test('of a coded answer that breaks off, what came is counted', async (t) => {
  const { url, jano } = await start(t, 'gzip', 'text/event-stream', (res) => {
    const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
    gzip.on('data', (chunk) => res.write(chunk));
    gzip.write(`data: {"choices":[],${USAGE}}\n\n`, () => setImmediate(() => res.destroy()));
  });

  await assert.rejects(post(url).then((response) => response.arrayBuffer()));
  const { usage, outcome } = await recordOf(jano);

  assert.deepEqual([usage?.inputTokens, outcome], [75, 'cut']);
});

test('a few bytes that stand for gigabytes are given up, not decoded to the end', () => {
  const tap = new AnswerTap();
  tap.begin({ 'content-type': 'application/json', 'content-encoding': 'gzip' });
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, '[1,'));
  const bombs = Buffer.concat(Array.from({ length: 5 }, () => bomb));

  tap.push(bombs, 0);

  return tap.end()?.then(() => assert.equal(tap.read().unmetered, 'too_large'));
});

test('what comes faster than it is decoded is given up, not piled up', () => {
  const tap = new AnswerTap();
  tap.begin({ 'content-type': 'text/event-stream', 'content-encoding': 'br' });
  const chunk = brotliCompressSync(STREAM);

  for (let sent = 0; sent < 20_000_000; sent += chunk.length) tap.push(chunk, 0);

  assert.equal(tap.read().unmetered, 'too_large');
});

test('the next request gets the slot while the answer before is still being decoded', async (t) => {
  const large = gzipSync(Buffer.concat(Array.from({ length: 400 }, () => STREAM)));
  const recorded: number[] = [];
  const { jano } = await start(t, 'gzip', 'text/event-stream', (res) => {
    recorded.push(jano.snapshot().ledger.requests.newest().length);
    res.end(large);
  });

  const callers = await Promise.all([1, 2].map(() => openRaw(t, jano.port, REQUEST)));
  await Promise.all(callers.map((caller) => caller.closed()));
  await untilRecorded(jano, 2);

  assert.deepEqual(recorded, [0, 0]);
});

test('who leaves a coded answer has left, though its record comes later', async (t) => {
  const begun = createGzip({ flush: constants.Z_SYNC_FLUSH });
  const { jano } = await start(t, 'gzip', 'text/event-stream', (res) => {
    begun.pipe(res);
    begun.write(EVENT);
  });
  const caller = await openRaw(t, jano.port, REQUEST);
  await caller.until((text) => text.includes('\r\n\r\n'));

  caller.socket.destroy();
  await untilRecorded(jano, 1);

  assert.deepEqual(endingsOf(jano), ['499 abandoned']);
});

test('who left before a stop has left, though its record is made during it', async (t) => {
  const large = gzipSync(Buffer.concat(Array.from({ length: 400 }, () => STREAM)));
  const { jano } = await start(t, 'gzip', 'text/event-stream', (res) => res.write(large));
  const caller = await openRaw(t, jano.port, REQUEST);
  await caller.until((text) => text.includes('\r\n\r\n'));

  caller.socket.destroy();
  await untilShown(jano, ({ running }) => running.length === 0);
  await jano.stop(0);
  await untilRecorded(jano, 1);

  assert.deepEqual(endingsOf(jano), ['499 abandoned']);
});

interface Coded {
  readonly jano: RunningJano;
  readonly url: string;
}

/** Jano in front of a backend whose answers are coded so. */
async function start(
  t: TestContext,
  coding: string,
  type: string,
  answer: (res: ServerResponse) => void,
): Promise<Coded> {
  const backend = await startBackend(t, (req, res) => {
    req.resume().once('end', () => {
      res.writeHead(200, { 'content-type': type, 'content-encoding': coding });
      answer(res);
    });
  });
  const jano = await startJanoFor(t, backend, {}, { parallel: 1 });
  return { jano, url: `${jano.url}/v1/chat/completions` };
}

async function ask(
  t: TestContext,
  coding: string,
  type: string,
  send: (res: ServerResponse) => void,
): Promise<{ readonly jano: RunningJano; readonly answer: Buffer }> {
  const { jano } = await start(t, coding, type, send);
  const caller = await openRaw(t, jano.port, REQUEST);
  return { jano, answer: bodyOf(await caller.closed()) };
}

/** The body of an answer, as it came: fetch would decode it. */
function bodyOf(received: string): Buffer {
  const at = received.indexOf('\r\n\r\n');
  const body = received.slice(at + 4);
  if (!/^transfer-encoding: chunked/im.test(received.slice(0, at))) {
    return Buffer.from(body, 'latin1');
  }
  const chunks: string[] = [];
  for (let rest = body; rest !== '';) {
    const end = rest.indexOf('\r\n');
    const length = Number.parseInt(rest.slice(0, end), 16);
    if (!(length > 0)) break;
    chunks.push(rest.slice(end + 2, end + 2 + length));
    rest = rest.slice(end + 2 + length + 2);
  }
  return Buffer.from(chunks.join(''), 'latin1');
}

function post(url: string): Promise<Response> {
  return fetch(url, { method: 'POST', body: '{"model":"qwen"}' });
}

async function recordOf(jano: RunningJano): Promise<RequestRecord> {
  await untilRecorded(jano, 1);
  const [record] = jano.snapshot().ledger.requests.newest();
  assert.ok(record !== undefined);
  return record;
}
