import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import express from 'express';
import type { Silent } from '../../src/dispatch/silences.ts';
import { NO_TRACING } from '../../src/core/tracing.ts';
import { openExchange } from '../../src/http/exchange.ts';
import { createForward } from '../../src/http/forward.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { backend as backendOf } from '../support/backend.ts';
import { startRawBackend } from '../support/fakeBackend.ts';
import { listen } from '../support/listening.ts';
import { openRaw, type RawConnection } from '../support/rawHttp.ts';
import { AGREEING, ASKING } from '../support/webSocketRig.ts';

const PING = Buffer.from('8900', 'hex');
const STREAM = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n';

interface Scene {
  readonly caller: RawConnection;
  readonly backend: Socket;
  /** What was handed over to be closed when it is silent. */
  readonly silents: readonly Silent[];
  /** Sets the clock. */
  readonly setTime: (now: number) => void;
}

/** A forwarded request whose backend has said `answer`, at 1000 on the clock. */
async function setScene(
  t: TestContext,
  { request, answer, causesSwap }: { request: string; answer: string; causesSwap: boolean },
): Promise<Scene> {
  let time = 1000;
  const arrived = Promise.withResolvers<Socket>();
  const url = await startRawBackend(t, (socket) => {
    socket.write(answer);
    arrived.resolve(socket);
  });
  const silents: Silent[] = [];
  const app = express().use((req, _res, next) => {
    const exchange = openExchange(req, {
      id: 7,
      traceId: null,
      arrivedAt: 0,
      caller: 'me',
      path: req.url,
      privateHeaders: new Set(),
    });
    exchange.turn = {
      id: 7,
      backend: backendOf('qwen', url),
      caller: 'me',
      bodyBytes: 0,
      causesSwap,
      dispatchedAt: 0,
      swapMs: 0,
      swapIds: [],
    };
    next();
  });
  app.use(
    createForward({
      now: () => time,
      requestMs: 0,
      tracing: NO_TRACING,
      suspect: () => undefined,
      watchSilence: (silent) => void silents.push(silent),
    }),
  );
  const server = createHttpServer(app);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const caller = await openRaw(t, await listen(server), request);
  const backend = await arrived.promise;
  await caller.until((text) => text.includes('\r\n\r\n'));
  return { caller, backend, silents, setTime: (now) => (time = now) };
}

const WEB_SOCKET = { request: ASKING, answer: AGREEING, causesSwap: true };
const EVENTS = {
  request: 'GET /sse HTTP/1.1\r\nHost: a\r\n\r\n',
  answer: STREAM,
  causesSwap: false,
};

test('a websocket is silent since it was opened, or data passed either way', async (t) => {
  const { caller, backend, silents, setTime } = await setScene(t, WEB_SOCKET);
  const [silent] = silents;
  assert.deepEqual([silent?.id, silent?.model, silent?.silentSince], [7, 'qwen', 1000]);

  setTime(2000);
  backend.write(Buffer.from('8101', 'hex'));
  await caller.until((text) => text.endsWith('\x81\x01'));
  assert.equal(silent?.silentSince, 2000);
  setTime(3000);
  caller.socket.write(Buffer.from('82810000000041', 'hex'));
  await once(backend, 'data');

  assert.equal(silent?.silentSince, 3000);
});

test('pings and pongs do not break the silence of a websocket', async (t) => {
  const { caller, backend, silents, setTime } = await setScene(t, WEB_SOCKET);

  setTime(2000);
  backend.write(PING);
  await caller.until((text) => text.endsWith('\x89\0'));
  caller.socket.write(Buffer.from('8a8000000000', 'hex'));
  await once(backend, 'data');

  assert.equal(silents[0]?.silentSince, 1000);
});

test('a silent websocket is closed as the protocol wants it, on both sides', async (t) => {
  const { caller, backend, silents } = await setScene(t, WEB_SOCKET);
  let heard = '';
  backend.on('data', (chunk: Buffer) => (heard += chunk.toString('hex')));

  silents[0]?.close();
  await once(backend, 'end');

  assert.ok((await caller.closed()).endsWith('\x88\x02\x03\xe9'));
  assert.equal(heard, '88820000000003e9');
});

test('nothing is put into a frame that is under way when a websocket is closed', async (t) => {
  const { caller, backend, silents } = await setScene(t, WEB_SOCKET);
  backend.write(Buffer.from('8105', 'hex'));
  await caller.until((text) => text.endsWith('\x81\x05'));

  silents[0]?.close();

  assert.ok((await caller.closed()).endsWith('\x81\x05'));
});

test('an event stream that takes no slot is silent while only comments pass', async (t) => {
  const { caller, backend, silents, setTime } = await setScene(t, EVENTS);
  const [silent] = silents;

  setTime(2000);
  backend.write(': ping\n\n');
  await caller.until((text) => text.includes('ping'));
  assert.equal(silent?.silentSince, 1000);
  backend.write('data: 1\n\n');
  await caller.until((text) => text.includes('data: 1'));

  assert.equal(silent?.silentSince, 2000);
});

test('a silent event stream is ended as a whole one, and so is its backend’s connection', async (t) => {
  const { caller, backend, silents } = await setScene(t, EVENTS);
  backend.write('data: 1\n\n');
  await caller.until((text) => text.includes('data: 1'));
  const left = once(backend, 'end');

  silents[0]?.close();

  await caller.until((text) => text.endsWith('data: 1\n\n\r\n0\r\n\r\n'));
  await left;
});

for (const [what, scene] of Object.entries({
  'an event stream that was asked for with a slot': { ...EVENTS, causesSwap: true },
  'an answer that is no event stream': {
    ...EVENTS,
    answer: STREAM.replace('text/event-stream', 'a/b'),
  },
})) {
  test(`${what} is never closed for its silence`, async (t) => {
    const { silents } = await setScene(t, scene);

    assert.deepEqual(silents, []);
  });
}
