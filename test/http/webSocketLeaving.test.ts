import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { assertEnded, untilRecorded, untilShown } from '../support/aftermath.ts';
import { openRaw } from '../support/rawHttp.ts';
import { AGREEING, ASKING, startWebSocketRig } from '../support/webSocketRig.ts';

const WAYS: Readonly<Record<string, (socket: Socket) => void>> = {
  'closes its connection': (socket) => void socket.destroy(),
  'half-closes its connection': (socket) => void socket.end(),
  'is reset': (socket) => void socket.resetAndDestroy(),
};

for (const [way, leave] of Object.entries(WAYS)) {
  test(`a caller that ${way} while its websocket waits is noticed, and never forwarded`, async (t) => {
    const rig = await startWebSocketRig(t);
    const first = await rig.open(t);
    const waiting = await openRaw(t, rig.jano.port, `${ASKING}early`);
    await untilShown(rig.jano, (shown) => shown.waiting.length === 1);

    leave(waiting.socket);
    await untilShown(rig.jano, (shown) => shown.waiting.length === 0);
    first.backend.destroy();

    await assertEnded(rig.jano, ['499 abandoned', '101 served']);
    assert.equal(rig.hits(), 1);
  });

  test(`a caller that ${way} before its backend has agreed takes the backend’s connection with it`, async (t) => {
    const rig = await startWebSocketRig(t);
    const caller = await openRaw(t, rig.jano.port, ASKING);
    const { socket } = await rig.next();

    const left = once(socket.resume(), 'end').finally(() => socket.end());
    leave(caller.socket);

    await left;
    await assertEnded(rig.jano, ['499 abandoned']);
  });
}

test('what a caller sends before its websocket is open arrives once it is, in order, and not before', async (t) => {
  const rig = await startWebSocketRig(t);
  const first = await rig.open(t);

  const caller = await openRaw(t, rig.jano.port, `${ASKING}one,`);
  await untilShown(rig.jano, (shown) => shown.waiting.length === 1);
  caller.socket.write('two,');
  first.backend.destroy();
  const { socket, request } = await rig.next();
  caller.socket.write('three.');
  socket.write(AGREEING);

  let heard = '';
  while (!heard.endsWith('three.')) heard += String(await once(socket, 'data'));
  assert.equal(heard, 'one,two,three.');
  assert.ok(request.toString().endsWith('\r\n\r\n'));
});

test('a caller that sends more than can be kept before its websocket is open is told so', async (t) => {
  const rig = await startWebSocketRig(t);
  const first = await rig.open(t);
  const waiting = await openRaw(t, rig.jano.port, ASKING);
  await untilShown(rig.jano, (shown) => shown.waiting.length === 1);

  waiting.socket.write(Buffer.alloc(64 * 1024 + 1));

  assert.match(await waiting.closed(), /^HTTP\/1\.1 413 [^]*"code":"early_data_too_large"/);
  await untilRecorded(rig.jano, 1);
  first.backend.destroy();
  await assertEnded(rig.jano, ['413 refused', '101 served']);
  assert.equal(rig.hits(), 1);
});
