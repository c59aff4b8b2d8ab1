import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { AnswerReader } from '../../src/core/usage/answerReader.ts';
import { readStatus, untilStatus } from '../machine/statusView.ts';
import { assertEnded } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { createFolder } from '../support/folder.ts';
import { startProgram } from '../support/program.ts';
import { openRaw } from '../support/rawHttp.ts';
import { type RunningJano, startJanoFor } from '../support/startJano.ts';

const SSE = { 'Content-Type': 'text/event-stream' };
const USAGE = '"usage":{"prompt_tokens":75,"completion_tokens":30}';
const LAST = `data: {"choices":[],${USAGE}}\n\ndata: [DONE]\n\n`;

/** Jano in front of a backend with one slot that answers as told. */
async function startAnswering(
  t: TestContext,
  answer: (res: ServerResponse) => unknown,
): Promise<RunningJano> {
  const url = await startBackend(t, (_req, res) => answer(res));
  return startJanoFor(t, url, {}, { parallel: 1 });
}

/** What the caller gets, byte for byte, still encoded. */
async function bytesOf(
  { port }: RunningJano,
  t: TestContext,
): Promise<{ head: string; body: Buffer }> {
  const caller = await openRaw(t, port, 'POST /v1/chat/completions HTTP/1.0\r\n\r\n');
  const received = await caller.closed();
  const [head = ''] = received.split('\r\n\r\n', 1);
  return { head, body: Buffer.from(received.slice(head.length + 4), 'latin1') };
}
test('time-02: the head of an answer is no longer held back until its first byte, minutes later', async (t) => {
  const goOn = Promise.withResolvers<void>();
  const url = await startBackend(t, async (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.flushHeaders();
    await goOn.promise;
    res.end('data: late\n\n');
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });

  const response = await fetch(`${jano.url}/x`, { method: 'POST' });
  const contentType = response.headers.get('content-type');
  goOn.resolve();

  assert.equal(contentType, 'text/event-stream');
  assert.equal(await response.text(), 'data: late\n\n');
  await assertEnded(jano, ['200 served']);
});

test('sse-01: words no longer come in clumps: each event arrives before the next is made', async (t) => {
  const events = ['data: a\n\n', ': ping\n\n', 'data: b\n\n', 'data: [DONE]\n\n'];
  let next: (() => void) | undefined;
  const url = await startBackend(t, (_req, res) => {
    res.setHeader('content-type', 'text/event-stream');
    const left = [...events];
    next = () => (left.length > 0 ? res.write(left.shift()) : res.end());
    next();
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });

  const response = await fetch(`${jano.url}/v1/chat/completions`, { method: 'POST' });
  const arrived: string[] = [];
  for await (const chunk of response.body ?? []) {
    arrived.push(Buffer.from(chunk).toString('utf8'));
    next?.();
  }

  assert.deepEqual(arrived, events);
  await assertEnded(jano, ['200 served']);
});

for (const [what, more] of [
  ['is kept', { 'X-Accel-Buffering': 'no' }],
  ['is not invented', {}],
] as const) {
  test(`sse-02: a backend’s word to nginx not to buffer no longer gets lost: it ${what}`, async (t) => {
    const jano = await startAnswering(t, (res) =>
      res.writeHead(200, { ...SSE, ...more }).end(LAST),
    );

    const { head, body } = await bytesOf(jano, t);

    assert.match(head, /\r\nContent-Type: text\/event-stream\r\n/);
    assert.equal(/^X-Accel-Buffering: no\r$/m.test(head), 'X-Accel-Buffering' in more);
    assert.equal(body.toString(), LAST);
    await assertEnded(jano, ['200 served']);
  });
}

test('sse-03: letters that are split between two chunks no longer arrive as question marks', async (t) => {
  const stream = Buffer.from(`data: {"choices":[{"delta":{"content":"渐🌍é"}}]}\n\n${LAST}`);
  const jano = await startAnswering(t, async (res) => {
    res.writeHead(200, SSE);
    for (const byte of stream) {
      await new Promise<void>((resolve) => res.write(Buffer.of(byte), () => setImmediate(resolve)));
    }
    res.end();
  });

  const { body } = await bytesOf(jano, t);

  assert.deepEqual(body, stream);
  await assertEnded(jano, ['200 served']);
});

const ping = ': ping\n\n';
const streams: Readonly<Record<string, string>> = {
  'sse-05: pings around the data no longer turn into data, nor end the answer': `${ping}data: {"choices":[]}\n\n${ping}${LAST}${ping.repeat(12_000)}`,
  'sse-06: an event of 200 kB no longer arrives without its head': `data: {"choices":[{"delta":{"content":"${'x'.repeat(200_000)}"}}],${USAGE}}\n\n`,
};

for (const [name, stream] of Object.entries(streams)) {
  test(name, async (t) => {
    const jano = await startAnswering(t, (res) => res.writeHead(200, SSE).end(stream));

    const { body } = await bytesOf(jano, t);

    assert.equal(sha256(body), sha256(Buffer.from(stream)));
    await assertEnded(jano, ['200 served']);
  });
}

for (const [coding, compress] of [
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['zstd', zstdCompressSync],
] as const) {
  test(`sse-08: an answer in ${coding} is no longer decoded on its way, nor its header lost`, async (t) => {
    const encoded = compress(`data: ${'long and '.repeat(50_000)}\n\n${LAST}`);
    const jano = await startAnswering(t, (res) => {
      res.writeHead(200, { ...SSE, 'Content-Encoding': coding }).end(encoded);
    });

    const { head, body } = await bytesOf(jano, t);

    assert.match(head, new RegExp(`\r\nContent-Encoding: ${coding}\r\n`));
    assert.equal(sha256(body), sha256(encoded));
    await assertEnded(jano, ['200 served']);
  });
}

test('use-19: 50 streams of 20 MB no longer fill the memory', async (t) => {
  const event = Buffer.alloc(65_536, `data: ${'x'.repeat(16_000)}\n\n`);
  const url = await startBackend(t, async (_req, res) => {
    res.writeHead(200, SSE);
    for (let count = 0; count < 320; count++) if (!res.write(event)) await once(res, 'drain');
    res.end();
  });
  const folder = createFolder('program');
  const models = [{ name: 'qwen', url, pinned: true, parallel: 50 }];
  await writeFile(join(folder, 'jano.json'), JSON.stringify({ models }));
  const program = startProgram(t, folder, ['--config', 'jano.json']);
  const [, janoUrl = ''] = await program.until(/listens on (http:\/\/127\.0\.0\.1:\d+)/);
  const before = peakMemoryBytes(program.pid);

  const sizes = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const response = await fetch(`${janoUrl}/v1/chat/completions`, { method: 'POST' });
      let size = 0;
      for await (const chunk of response.body ?? []) size += chunk.length;
      return size;
    }),
  );

  assert.deepEqual(new Set(sizes), new Set([320 * 65_536]));
  const grown = peakMemoryBytes(program.pid) - before;
  t.diagnostic(`it grew by ${Math.round(grown / 1e6)} MB at most`);
  // Of 1 GB in all; most of it is garbage that was not collected yet.
  assert.ok(grown < 50 * 5_000_000);
  const after = await untilStatus({ url: janoUrl }, 'all ended', ({ inFlight }) => inFlight === 0);
  assert.equal(after.requestsServedTotal, 50);
});

test('use-20: a bug in the tap no longer takes the answer down, let alone the process', async (t) => {
  t.mock.method(AnswerReader.prototype, 'push', () => {
    throw new Error('a bug');
  });
  const jano = await startAnswering(t, (res) => res.writeHead(200, SSE).end(LAST));

  const { body } = await bytesOf(jano, t);

  assert.equal(body.toString(), LAST);
  await assertEnded(jano, ['200 served']);
  assert.equal(jano.snapshot().ledger.requests.newest().at(-1)?.usage, null);
  assert.equal((await readStatus(jano)).recentGenTokS, null);
});

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The most memory that a process has had. */
function peakMemoryBytes(pid: number): number {
  const [, kilobytes] =
    /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
