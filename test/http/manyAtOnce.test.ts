import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { assertEnded, untilShown } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { type RunningJano, startJanoFor } from '../support/startJano.ts';

const POST = 'POST /x HTTP/1.1\r\nHost: jano\r\nContent-Length: 2\r\n\r\n{}';

/** Jano in front of a backend that begins to answer all at once and ends when it is let. */
async function startStreaming(t: TestContext, parallel: number) {
  const { promise, resolve: free } = Promise.withResolvers<void>();
  const url = await startBackend(t, async (_req, res) => {
    res.write('first');
    await promise;
    res.end(';');
  });
  const limits = { queue: { maxWaiting: 2000 }, usage: { records: 2000 } };
  const jano = await startJanoFor(t, url, limits, { parallel });
  return { jano, free };
}

function openMany(t: TestContext, jano: RunningJano, count: number) {
  return Promise.all(Array.from({ length: count }, () => openRaw(t, jano.port, POST)));
}

function repeat(ending: string, count: number): string[] {
  return Array.from({ length: count }, () => ending);
}

test('a thousand streams run at once, each to its end', async (t) => {
  const { jano, free } = await startStreaming(t, 1000);

  const callers = await openMany(t, jano, 1000);
  await Promise.all(callers.map((caller) => caller.until((text) => text.includes('first'))));
  const running = jano.snapshot().running.length;
  free();
  await Promise.all(callers.map((caller) => caller.until((text) => text.includes('0\r\n\r\n'))));

  assert.equal(running, 1000);
  await assertEnded(jano, repeat('200 served', 1000));
});

test('a thousand callers that leave at once leave nothing behind', async (t) => {
  const { jano } = await startStreaming(t, 500);
  const callers = await openMany(t, jano, 1000);
  await untilShown(jano, (shown) => shown.running.length + shown.waiting.length === 1000);

  for (const { socket } of callers) socket.destroy();

  await untilShown(jano, (shown) => shown.running.length + shown.waiting.length === 0);
  await assertEnded(jano, repeat('499 abandoned', 1000));
});

test('many requests on one connection warn of no leak', async (t) => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  t.after(() => process.off('warning', note));
  const url = await startBackend(t, (_req, res) => res.end(';'));
  const jano = await startJanoFor(t, url);

  const caller = await openRaw(t, jano.port, POST.repeat(30));
  await caller.until((text) => text.split(';').length > 30);

  assert.deepEqual(warnings, []);
  await assertEnded(jano, repeat('200 served', 30));
});
