import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import { readStatus, type StatusView } from '../machine/statusView.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { startMachine } from '../support/machine.ts';
import { openRaw, type RawConnection } from '../support/rawHttp.ts';
import { type FastJano, HOUR_MS, MINUTE_MS, startFastJano } from './fastJano.ts';

const POST = 'POST /v1/chat/completions HTTP/1.1\r\nHost: jano\r\n';
const BODY = '{"model":"qwen"}';
const ASKED = `${POST}Content-Length: ${BODY.length}\r\n\r\n${BODY}`;
const EVENT = 'data: {"choices":[]}\n\n';

interface Arrival {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

interface Scene {
  readonly jano: FastJano;
  /** The first two requests that reach the backend, whose time runs as usual. */
  readonly first: Promise<Arrival>;
  readonly second: Promise<Arrival>;
}

/** A fast Jano in front of a backend with one slot, always resident, that answers as the test says. */
async function setScene(
  t: TestContext,
  config: Readonly<Record<string, unknown>> = {},
): Promise<Scene | null> {
  const [first, second] = [
    Promise.withResolvers<Arrival>(),
    Promise.withResolvers<Arrival>(),
  ] as const;
  const awaited = [first, second];
  const url = await startBackend(t, (req, res) => awaited.shift()?.resolve({ req, res }));
  const models = [{ name: 'qwen', url, pinned: true, parallel: 1 }];
  const jano = await startFastJano(t, { models, ...config });
  return jano && { jano, first: first.promise, second: second.promise };
}

function untilEnd(caller: RawConnection): Promise<string> {
  return caller.until((text) => text.endsWith('\r\n0\r\n\r\n'));
}

/** The one request was served, and nothing of it is left. */
async function assertServed(jano: FastJano, count = 1): Promise<void> {
  const status = await jano.until('it is over', ({ inFlight }) => inFlight === 0);
  assert.deepEqual(
    [status.requestsServedTotal, status.queueDepth, status.errorsLast15m, status.lastError],
    [count, 0, 0, null],
  );
}

test('time-01: a prefill of 20 minutes no longer ends in a time-out', async (t) => {
  const scene = await setScene(t);
  if (scene === null) return;
  const caller = await openRaw(t, scene.jano.port, ASKED);
  const { res } = await scene.first;

  await scene.jano.pass(20 * MINUTE_MS);
  res.write(EVENT);
  res.end();

  const received = await untilEnd(caller);
  assert.match(received, /^HTTP\/1\.1 200 OK\r\n/);
  assert.ok(received.includes(EVENT));
  await assertServed(scene.jano);
});

test('time-01: 20 minutes between the head and the first byte no longer end in a time-out', async (t) => {
  const scene = await setScene(t);
  if (scene === null) return;
  const caller = await openRaw(t, scene.jano.port, ASKED);
  const { res } = await scene.first;

  res.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
  const head = await caller.until((text) => text.endsWith('\r\n\r\n'));
  await scene.jano.pass(20 * MINUTE_MS);
  res.end(EVENT);

  assert.match(head, /^HTTP\/1\.1 200 OK\r\nContent-Type: text\/event-stream\r\n/);
  assert.ok((await untilEnd(caller)).includes(EVENT));
  await assertServed(scene.jano);
});

test('time-01: an answer that pauses for 10 minutes no longer breaks off', async (t) => {
  const scene = await setScene(t);
  if (scene === null) return;
  const caller = await openRaw(t, scene.jano.port, ASKED);
  const { res } = await scene.first;

  res.write(EVENT);
  await caller.until((text) => text.includes(EVENT));
  await scene.jano.pass(10 * MINUTE_MS);
  res.end(EVENT);

  assert.equal((await untilEnd(caller)).split(EVENT).length, 3);
  await assertServed(scene.jano);
});

test('time-01: an upload that takes an hour is no longer a 408', async (t) => {
  const scene = await setScene(t);
  if (scene === null) return;
  const { jano } = scene;
  const caller = await openRaw(t, jano.port, `${POST}Transfer-Encoding: chunked\r\n\r\n`);
  const parts = [
    '{"model":"qwen",',
    '"prompt":"',
    'a photo in ',
    'eight ',
    'parts ',
    'of ',
    'which ',
    'each ',
    'takes ',
    'minutes',
    '"}',
  ];

  for (const part of parts) {
    caller.socket.write(`${part.length.toString(16)}\r\n${part}\r\n`);
    await jano.pass(HOUR_MS / parts.length);
  }
  caller.socket.write('0\r\n\r\n');
  const { req, res } = await scene.first;
  const arrived = (await req.toArray()).join('');
  res.end();

  assert.equal(arrived, parts.join(''));
  await caller.until((text) => text.startsWith('HTTP/1.1 200 OK\r\n'));
  await assertServed(jano);
});

test('time-04: a request that waits 10 minutes behind another is no longer given up', async (t) => {
  const scene = await setScene(t);
  if (scene === null) return;
  const { jano } = scene;
  const first = await openRaw(t, jano.port, ASKED);
  const running = await scene.first;
  const second = await openRaw(t, jano.port, ASKED);

  await jano.until('10 minutes go by', ({ waiting }) => {
    return (waiting[0]?.waitedMs ?? 0) >= 10 * MINUTE_MS;
  });
  const early = second.received();
  running.res.end(EVENT);
  (await scene.second).res.end(EVENT);

  assert.equal(early, '');
  for (const caller of [first, second]) {
    await caller.until((text) => /^HTTP\/1\.1 200 OK\r\n[^]*data: /.test(text));
  }
  await assertServed(jano, 2);
});

test('time-04: a swap of 30 minutes is waited for, and no caller is told to come back', async (t) => {
  const machine = await startMachine(t, ['qwen'], (_model, _req, res) => res.end(EVENT), {
    isGated: true,
  });
  const { models, command } = machine;
  const jano = await startFastJano(t, { models, swap: { command, timeout: '2h' } });
  if (jano === null) return;

  const caller = await openRaw(t, jano.port, ASKED);
  const { waiting } = await jano.until('30 minutes go by', ({ swap }) => {
    return (swap?.elapsedMs ?? 0) >= 30 * MINUTE_MS;
  });
  const early = caller.received();
  await machine.go();

  await caller.until((text) => /^HTTP\/1\.1 200 OK\r\n[^]*data: /.test(text));
  assert.deepEqual([early, waiting.length, machine.swaps()], ['', 1, ['qwen']]);
  await assertServed(jano);
});

test('time-04: a swap that takes longer than swap.timeout is a 503 after just that long', async (t) => {
  const machine = await startMachine(t, ['qwen'], (_model, _req, res) => res.end(EVENT), {
    isGated: true,
  });
  const { models, command } = machine;
  const jano = await startFastJano(t, { models, swap: { command, timeout: '40m' } });
  if (jano === null) return;

  const caller = await openRaw(t, jano.port, ASKED);

  const received = await caller.until((text) => text.endsWith('}'));
  assert.match(received, /^HTTP\/1\.1 503 Service Unavailable\r\n[^]*Retry-After: \d+\r\n/);
  assert.match(received, /swap of \\"qwen\\" timed out after 2400000 ms/);
  const { uptimeSeconds, lastSwapDurationMs } = await readStatus(jano);
  assert.ok(uptimeSeconds * 1000 >= 40 * MINUTE_MS);
  assert.equal(lastSwapDurationMs, null);
});

test('time-01: a backend that is silent for longer than limits.request is a 504 after just that long', async (t) => {
  const scene = await setScene(t, { limits: { request: '10m' } });
  if (scene === null) return;
  const { jano } = scene;
  const askedAt = performance.now();
  const before = await readStatus(jano);
  const caller = await openRaw(t, jano.port, ASKED);

  const received = await caller.until((text) => text.endsWith('}'));

  assert.match(received, /^HTTP\/1\.1 504 Gateway Timeout\r\n[^]*sent nothing for 600000 ms/);
  assertPassed(10 * MINUTE_MS, before, await readStatus(jano));
  // So Jano's time does run faster than this, and what the tests above show is not for want of time.
  assert.ok(performance.now() - askedAt < 10 * MINUTE_MS);
});

test('time-04: a request that waits for longer than queue.timeout is a 503 after just that long', async (t) => {
  const scene = await setScene(t, { queue: { timeout: '15m' } });
  if (scene === null) return;
  const { jano } = scene;
  await openRaw(t, jano.port, ASKED);
  await scene.first;
  const before = await readStatus(jano);
  const caller = await openRaw(t, jano.port, ASKED);

  const received = await caller.until((text) => text.endsWith('}'));

  assert.match(received, /^HTTP\/1\.1 503 Service Unavailable\r\n[^]*"code":"queue_timeout"/);
  assertPassed(15 * MINUTE_MS, before, await readStatus(jano));
});

/** Not sooner: how much later is the machine's affair. Uptimes are whole seconds. */
function assertPassed(ms: number, before: StatusView, after: StatusView): void {
  const passedSeconds = after.uptimeSeconds - before.uptimeSeconds;
  assert.ok(passedSeconds >= ms / 1000 - 1, `${passedSeconds} s`);
}
