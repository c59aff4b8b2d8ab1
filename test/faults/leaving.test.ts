import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { RequestRecord } from '../../src/core/record.ts';
import { readStatus } from '../machine/statusView.ts';
import { assertEnded, untilShown } from '../support/aftermath.ts';
import { fill, startRawBackend } from '../support/fakeBackend.ts';
import { startMachine } from '../support/machine.ts';
import { openRaw, type RawConnection } from '../support/rawHttp.ts';
import { type RunningJano, startJano, startJanoFor } from '../support/startJano.ts';

const REQUEST = 'POST /v1/chat/completions HTTP/1.1\r\nHost: jano\r\nContent-Length: 2\r\n\r\n{}';
const HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const EVENT = 'a\r\ndata: hi\n\n\r\n';

/** The ways to leave: to say goodbye and go, to half-close and listen on, to be killed. */
const WAYS: Readonly<Record<string, (socket: Socket) => void>> = {
  'closes its connection': (socket) => void socket.destroy(),
  'half-closes its connection': (socket) => void socket.end(),
  'is reset': (socket) => void socket.resetAndDestroy(),
};

interface Scene {
  readonly jano: RunningJano;
  /** Resolves with the connection on which a request has reached the backend. */
  readonly reached: () => Promise<Socket>;
  /** How many requests have. */
  readonly hits: () => number;
}

/** Jano with one slot, or as many as told, in front of a backend that says `answer` and no more. */
async function setScene(t: TestContext, answer = '', parallel = 1): Promise<Scene> {
  const sockets: Socket[] = [];
  let arrive = Promise.withResolvers<Socket>();
  const url = await startRawBackend(t, (socket) => {
    sockets.push(socket);
    if (answer !== '') socket.write(answer);
    arrive.resolve(socket);
    arrive = Promise.withResolvers();
  });
  const jano = await startJanoFor(t, url, {}, { parallel });
  return { jano, hits: () => sockets.length, reached: () => arrive.promise };
}

async function send(t: TestContext, { jano, reached }: Scene): Promise<[RawConnection, Socket]> {
  const arrival = reached();
  return [await openRaw(t, jano.port, REQUEST), await arrival];
}

for (const [way, leave] of Object.entries(WAYS)) {
  test(`gone-05: a caller that ${way} while it sends its body no longer keeps a slot`, async (t) => {
    const scene = await setScene(t);
    const arrival = once(scene.jano.server, 'request');
    const caller = await openRaw(t, scene.jano.port, REQUEST.slice(0, -1));
    await arrival;

    leave(caller.socket);

    await assertEnded(scene.jano, ['499 abandoned']);
    assert.equal(scene.hits(), 0);
  });

  test(`gone-04: a caller that ${way} while it waits is no longer served for nobody`, async (t) => {
    const scene = await setScene(t);
    const [, running] = await send(t, scene);
    const waiting = await openRaw(t, scene.jano.port, REQUEST);
    await untilShown(scene.jano, (shown) => shown.waiting.length === 1);

    leave(waiting.socket);
    await untilShown(scene.jano, (shown) => shown.waiting.length === 0);
    running.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');

    await assertEnded(scene.jano, ['499 abandoned', '200 served']);
    assert.equal(firstRecord(scene.jano).dispatchedAt, null);
    assert.equal(scene.hits(), 1);
  });

  test(`gone-05: a caller that ${way} while its model is loaded no longer keeps a slot`, async (t) => {
    const machine = await startMachine(t, ['qwen'], (_model, _req, res) => res.end('{}'), {
      isGated: true,
    });
    const { models, command } = machine;
    const jano = await startJano(t, { models, swap: { command, poll: '10ms' } });
    const caller = await openRaw(t, jano.port, REQUEST);
    await untilShown(jano, (shown) => shown.swap !== null && shown.waiting.length === 1);

    leave(caller.socket);
    await untilShown(jano, (shown) => shown.waiting.length === 0);
    await machine.go();

    await assertEnded(jano, ['499 abandoned']);
    assert.deepEqual([machine.swaps(), machine.faults], [['qwen'], []]);
  });

  for (const [id, phase, answer] of [
    ['gone-02', 'before the answer begins', ''],
    ['gone-02', 'after the head of the answer', HEAD],
    ['gone-01', 'in the middle of the answer', HEAD + EVENT],
  ] as const) {
    test(`${id}: a caller that ${way} ${phase} no longer keeps the backend at work`, async (t) => {
      const scene = await setScene(t, answer);
      const [caller, backend] = await send(t, scene);
      const told = closing(backend);
      if (answer !== '') await caller.until((text) => text.endsWith(answer.slice(-4)));

      leave(caller.socket);

      await told;
      await assertEnded(scene.jano, ['499 abandoned']);
      const { firstByteAt, usage } = firstRecord(scene.jano);
      assert.deepEqual([firstByteAt === null, usage], [!answer.endsWith(EVENT), null]);
      // The one behind it.
      assert.equal((await readStatus(scene.jano)).requestsServedTotal, 1);
    });
  }

  test(`gone-05: a caller that ${way} after the last byte no longer counts as lost`, async (t) => {
    const scene = await setScene(t, `${HEAD}${EVENT}0\r\n\r\n`);
    const [caller] = await send(t, scene);
    await caller.until((text) => text.endsWith('\r\n0\r\n\r\n'));

    leave(caller.socket);

    await assertEnded(scene.jano, ['200 served']);
  });

  test(`gone-01: a caller that ${way} mid-stream no longer blocks those behind it`, async (t) => {
    const scene = await setScene(t, HEAD + EVENT);
    const [leaver] = await send(t, scene);
    const stayer = await openRaw(t, scene.jano.port, REQUEST);
    await untilShown(scene.jano, (shown) => shown.waiting.length === 1);
    const arrival = scene.reached();

    leave(leaver.socket);
    (await arrival).end('0\r\n\r\n');

    assert.match(await stayer.until((text) => text.endsWith('0\r\n\r\n')), /data: hi\n\n\r\n0/);
    await assertEnded(scene.jano, ['499 abandoned', '200 served']);
  });

  test(`gone-05: a caller that ${way} after it has long stopped reading no longer keeps its slot`, async (t) => {
    const scene = await setScene(t, HEAD);
    const [caller, backend] = await send(t, scene);
    await caller.until((text) => text.includes('\r\n\r\n'));
    caller.socket.pause();
    await fill(backend);
    const told = closing(backend);

    leave(caller.socket);

    await told;
    await assertEnded(scene.jano, ['499 abandoned']);
  });
}

function firstRecord(jano: RunningJano): RequestRecord {
  const record = jano.snapshot().ledger.requests.newest().at(-1);
  if (record === undefined) throw new Error('nothing is recorded');
  return record;
}

function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

test('gone-05: a caller that leaves with a second request pipelined no longer keeps two slots', async (t) => {
  const scene = await setScene(t, HEAD + EVENT);
  const arrival = scene.reached();
  const caller = await openRaw(t, scene.jano.port, REQUEST + REQUEST);
  await arrival;
  await caller.until((text) => text.includes('data: hi'));

  caller.socket.destroy();

  await assertEnded(scene.jano, ['499 abandoned']);
  assert.equal(scene.hits(), 1);
});

test('gone-03: a caller that stays is no longer taken for gone once its body was read', async (t) => {
  const scene = await setScene(t, HEAD + EVENT, 2);
  const [leaver] = await send(t, scene);
  const [stayer, backend] = await send(t, scene);
  await untilShown(scene.jano, (shown) => shown.running.length === 2);

  leaver.socket.destroy();
  await untilShown(scene.jano, (shown) => shown.running.length === 1);
  backend.end('0\r\n\r\n');

  assert.match(await stayer.until((text) => text.endsWith('0\r\n\r\n')), /data: hi\n\n\r\n0/);
  await assertEnded(scene.jano, ['499 abandoned', '200 served']);
});

test('gone-04: a caller that left while it waited no longer causes a swap of minutes', async (t) => {
  const goOn = Promise.withResolvers<void>();
  const answer = async (model: string, _req: unknown, res: ServerResponse): Promise<void> => {
    asked.push(model);
    res.write(' ');
    await goOn.promise;
    res.end('{}');
  };
  const asked: string[] = [];
  const machine = await startMachine(t, ['a', 'b'], (...args) => void answer(...args), {
    resident: ['a'],
  });
  const { models, command } = machine;
  const jano = await startJano(t, { models, swap: { command, poll: '10ms' } });
  const running = await fetch(`${jano.url}/x?model=a`, { method: 'POST' });
  const waiting = await openRaw(t, jano.port, REQUEST.replace('/v1', '/upstream/b/v1'));
  await untilShown(jano, (shown) => shown.waiting.length === 1);

  waiting.socket.destroy();
  await untilShown(jano, (shown) => shown.waiting.length === 0);
  const { oldestWaitingMs, queueDepth, swap } = await readStatus(jano);
  goOn.resolve();
  await running.text();

  await assertEnded(jano, ['499 abandoned', '200 served']);
  assert.deepEqual([oldestWaitingMs, queueDepth, swap], [0, 0, null]);
  assert.deepEqual([machine.swaps(), asked], [[], ['a']]);
  const { dispatchedAt, firstByteAt, swapMs } = firstRecord(jano);
  assert.deepEqual([dispatchedAt, firstByteAt, swapMs], [null, null, 0]);
});
