import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { measureFootprint } from '../soak/footprint.ts';
import { assertEnded, endingsOf, untilRecorded, untilShown } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { type RawConfig, startJanoFor } from '../support/startJano.ts';

const HEAD = 'POST /v1/x HTTP/1.1\r\nHost: jano\r\nContent-Length:';

/** Jano with one slot, in front of a backend that answers with the length of what it got. */
async function startCounting(t: TestContext, raw: RawConfig) {
  const url = await startBackend(t, async (req, res) => {
    res.end(`${Buffer.concat(await req.toArray()).length} bytes`);
  });
  return startJanoFor(t, url, raw, { parallel: 1 });
}

test('bodies that are still being sent count: who would be too much is refused while it sends', async (t) => {
  const jano = await startCounting(t, { queue: { maxWaitingBytes: '1KB' } });
  const arrived = Promise.withResolvers<void>();
  jano.server.once('request', (req) => req.once('data', () => arrived.resolve()));

  const first = await openRaw(t, jano.port, `${HEAD} 900\r\n\r\n${'x'.repeat(800)}`);
  await arrived.promise;
  const announced = await openRaw(t, jano.port, `${HEAD} 300\r\n\r\n`);
  const chunked = await openRaw(
    t,
    jano.port,
    `POST /v1/x HTTP/1.1\r\nHost: jano\r\nTransfer-Encoding: chunked\r\n\r\n12c\r\n${'x'.repeat(300)}\r\n`,
  );
  const fits = await openRaw(t, jano.port, `${HEAD} 200\r\n\r\n${'x'.repeat(200)}`);

  for (const caller of [announced, chunked]) {
    const refusal = await caller.until((text) => text.endsWith('}}'));
    assert.match(refusal, /^HTTP\/1\.1 503 [^]*Retry-After: 10\r\n[^]*"code":"queue_full"/);
    assert.match(refusal, /fill queue\.maxWaitingBytes \(1000 bytes\)/);
  }
  await fits.until((text) => text.endsWith('200 bytes'));
  first.socket.write('x'.repeat(100));
  await first.until((text) => text.endsWith('900 bytes'));
});

test('a body alone may be larger than all that wait together', async (t) => {
  const jano = await startCounting(t, { queue: { maxWaitingBytes: '10B' } });

  const response = await fetch(`${jano.url}/v1/x`, { method: 'POST', body: 'x'.repeat(100_000) });

  assert.equal(await response.text(), '100000 bytes');
});

for (const how of ['leaves', 'is refused', 'is answered'] as const) {
  test(`what a caller that ${how} had sent takes no memory any more`, async (t) => {
    const jano = await startCounting(t, { queue: { maxWaitingBytes: '1KB' } });
    const body = 'x'.repeat(900);

    for (let round = 0; round < 3; round += 1) {
      const head = how === 'is refused' ? HEAD.replace('jano', 'jano\r\nX-Model: none') : HEAD;
      const length = how === 'leaves' ? 1000 : 900;
      const caller = await openRaw(t, jano.port, `${head} ${length}\r\n\r\n${body}`);
      if (how === 'leaves') caller.socket.end();
      else await caller.until((text) => /bytes|\}\}$/.test(text));
      await untilRecorded(jano, round + 1);
      caller.socket.destroy();
    }

    const ending = {
      leaves: '499 abandoned',
      'is refused': '404 rejected',
      'is answered': '200 served',
    };
    assert.deepEqual(new Set(endingsOf(jano)), new Set([ending[how]]));
    // Two that only fit together if nothing else is held.
    const first = await openRaw(t, jano.port, `${HEAD} 500\r\n\r\n${'x'.repeat(400)}`);
    const other = await openRaw(t, jano.port, `${HEAD} 500\r\n\r\n${'x'.repeat(500)}`);
    await other.until((text) => text.endsWith('500 bytes'));
    first.socket.write('x'.repeat(100));
    await first.until((text) => text.endsWith('500 bytes'));
  });
}

test('what a running request has sent takes no memory any more', async (t) => {
  const url = await startBackend(t, async (req, res) => {
    await req.toArray();
    res.write('got it');
  });
  const jano = await startJanoFor(t, url, { queue: { maxWaitingBytes: '1KB' } });

  for (let count = 1; count <= 3; count += 1) {
    const caller = await openRaw(t, jano.port, `${HEAD} 900\r\n\r\n${'x'.repeat(900)}`);
    await caller.until((text) => text.includes('got it'));
  }

  assert.equal(jano.snapshot().running.length, 3);
});

test('bodies that were sent are let go, however long their answers take', async (t) => {
  const mebibyte = 1024 * 1024;
  const url = await startBackend(t, async (req, res) => {
    // Not kept here either.
    for await (const _ of req);
    res.write('got it');
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 10 });
  const before = measureFootprint().heldBytes;

  for (let count = 1; count <= 10; count += 1) {
    const caller = await openRaw(t, jano.port, `${HEAD} ${3 * mebibyte}\r\n\r\n`);
    caller.socket.write(Buffer.alloc(3 * mebibyte, 'x'));
    await caller.until((text) => text.includes('got it'));
  }

  assert.equal(jano.snapshot().running.length, 10);
  const grownBytes = measureFootprint().heldBytes - before;
  assert.ok(grownBytes < 6 * mebibyte, `${grownBytes} bytes more are held`);
});

test('a body of a hundred thousand chunks of one byte arrives whole', async (t) => {
  const jano = await startCounting(t, {});
  const chunks = '1\r\nx\r\n'.repeat(100_000);

  const caller = await openRaw(
    t,
    jano.port,
    `POST /v1/x HTTP/1.1\r\nHost: jano\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
  );

  await caller.until((text) => text.endsWith('100000 bytes'));
  await assertEnded(jano, ['200 served']);
});

test('an endless upload that was refused is not read for ever: its connection ends', async (t) => {
  const jano = await startCounting(t, { limits: { body: '1KiB' } });

  const caller = await openRaw(t, jano.port, `${HEAD} 100000000000\r\n\r\n`);
  const ended = new Promise((resolve) => caller.socket.once('end', resolve));
  const refusal = await caller.until((text) => text.endsWith('}}'));
  await ended;

  assert.match(refusal, /^HTTP\/1\.1 413 /);
  await untilShown(jano, ({ ledger }) => ledger.requests.newest().length === 1);
});

test('what a caller that leaves while it waits had sent takes no memory any more', async (t) => {
  const url = await startBackend(t, () => undefined);
  const jano = await startJanoFor(t, url, { queue: { maxWaitingBytes: '1KB' } }, { parallel: 1 });
  await openRaw(t, jano.port, `${HEAD} 0\r\n\r\n`);
  await untilShown(jano, ({ running }) => running.length === 1);

  for (let round = 1; round <= 3; round += 1) {
    const caller = await openRaw(t, jano.port, `${HEAD} 600\r\n\r\n${'x'.repeat(600)}`);
    await untilShown(jano, ({ waiting }) => waiting.length === 1);
    caller.socket.destroy();
    await untilRecorded(jano, round);
  }
  for (const bytes of [400, 500]) {
    await openRaw(t, jano.port, `${HEAD} ${bytes}\r\n\r\n${'x'.repeat(bytes)}`);
  }

  await untilShown(jano, ({ waiting }) => waiting.length === 2);
});
