import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { ask, goodReply } from '../machine/asking.ts';
import { openMachineRig } from '../machine/machineRig.ts';
import { assertEnded } from '../support/aftermath.ts';
import { REFUSING_URL } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { startJanoFor } from '../support/startJano.ts';
import { ASKING, startWebSocketRig } from '../support/webSocketRig.ts';
import { acceptWebSocket } from '../support/webSocketServer.ts';

test('req-17: a websocket passes bytes both ways, and its reset takes nobody down', async (t) => {
  const rig = await startWebSocketRig(t);
  const { caller, backend } = await rig.open(t);

  backend.write('hello');
  await caller.until((text) => text.endsWith('hello'));
  caller.socket.write('hi');
  const [heard] = await once(backend, 'data');
  backend.resetAndDestroy();
  await caller.closed();

  assert.equal(String(heard), 'hi');
  await assertEnded(rig.jano, ['101 served']);
});

test('req-17: a websocket to a server that is gone is a 502 with a text, not a closed socket', async (t) => {
  const jano = await startJanoFor(t, REFUSING_URL, {}, { pinned: true });

  const caller = await openRaw(t, jano.port, ASKING);

  assert.match(
    await caller.closed(),
    /^HTTP\/1\.1 502 [^]*connection refused[^]*"code":"backend_failed"/,
  );
});

test('req-17: an idle websocket goes once somebody waits for the memory of its model', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['chat', 'voice'], {
    resident: ['voice'],
    webSocket: (_model, req) => void acceptWebSocket(req),
    config: { limits: { idleSocket: '50ms' } },
  });
  const socket = new WebSocket(`${jano.url}/v1/realtime?model=voice`);
  await once(socket, 'open');
  const closed = once(socket, 'close');

  assert.deepEqual(await ask(jano, 'chat'), goodReply('chat'));

  await closed;
  assert.deepEqual(machine.swaps(), ['chat']);
  await assertEnded(jano, ['101 served', '200 served']);
});
