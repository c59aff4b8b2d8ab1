import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
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

/** Jano with one slot, in front of a backend that says `answer` and no more. */
async function setScene(t: TestContext, answer = ''): Promise<Scene> {
  const sockets: Socket[] = [];
  let arrive = Promise.withResolvers<Socket>();
  const url = await startRawBackend(t, (socket) => {
    sockets.push(socket);
    if (answer !== '') socket.write(answer);
    arrive.resolve(socket);
    arrive = Promise.withResolvers();
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });
  return { jano, hits: () => sockets.length, reached: () => arrive.promise };
}

async function send(t: TestContext, { jano, reached }: Scene): Promise<[RawConnection, Socket]> {
  const arrival = reached();
  return [await openRaw(t, jano.port, REQUEST), await arrival];
}

for (const [way, leave] of Object.entries(WAYS)) {
  test(`a caller that ${way} while it sends its body is never forwarded`, async (t) => {
    const scene = await setScene(t);
    const arrival = once(scene.jano.server, 'request');
    const caller = await openRaw(t, scene.jano.port, REQUEST.slice(0, -1));
    await arrival;

    leave(caller.socket);

    await assertEnded(scene.jano, ['499 abandoned']);
    assert.equal(scene.hits(), 0);
  });

  test(`a caller that ${way} while it waits gives up its place at once`, async (t) => {
    const scene = await setScene(t);
    const [, running] = await send(t, scene);
    const waiting = await openRaw(t, scene.jano.port, REQUEST);
    await untilShown(scene.jano, (shown) => shown.waiting.length === 1);

    leave(waiting.socket);
    await untilShown(scene.jano, (shown) => shown.waiting.length === 0);
    running.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');

    await assertEnded(scene.jano, ['499 abandoned', '200 served']);
    assert.equal(scene.hits(), 1);
  });

  test(`a caller that ${way} while its model is loaded is not waited for`, async (t) => {
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

  for (const [phase, answer] of Object.entries({
    'before the answer begins': '',
    'after the head of the answer': HEAD,
    'in the middle of the answer': HEAD + EVENT,
  })) {
    test(`a caller that ${way} ${phase} frees its slot, and the backend is told`, async (t) => {
      const scene = await setScene(t, answer);
      const [caller, backend] = await send(t, scene);
      const told = closing(backend);
      if (answer !== '') await caller.until((text) => text.includes('\r\n\r\n'));

      leave(caller.socket);

      await told;
      await assertEnded(scene.jano, ['499 abandoned']);
    });
  }

  test(`a caller that ${way} after the last byte has been served`, async (t) => {
    const scene = await setScene(t, `${HEAD}${EVENT}0\r\n\r\n`);
    const [caller] = await send(t, scene);
    await caller.until((text) => text.endsWith('\r\n0\r\n\r\n'));

    leave(caller.socket);

    await assertEnded(scene.jano, ['200 served']);
  });

  test(`a caller that ${way} while others stay takes nobody with it`, async (t) => {
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

  test(`a caller that ${way} after it has long stopped reading frees its slot`, async (t) => {
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

function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

test('a caller that leaves with a second request pipelined leaves nothing behind', async (t) => {
  const scene = await setScene(t, HEAD + EVENT);
  const arrival = scene.reached();
  const caller = await openRaw(t, scene.jano.port, REQUEST + REQUEST);
  await arrival;
  await caller.until((text) => text.includes('data: hi'));

  caller.socket.destroy();

  await assertEnded(scene.jano, ['499 abandoned']);
  assert.equal(scene.hits(), 1);
});
