import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { assertIdle, endingsOf, untilRecorded, untilShown } from '../support/aftermath.ts';
import { acceptWebSocket } from '../support/webSocketServer.ts';
import { ask, goodReply } from './asking.ts';
import { openMachineRig } from './machineRig.ts';

const RIG = {
  resident: ['chat'],
  webSocket: (model: string, req: IncomingMessage) => {
    const peer = acceptWebSocket(req);
    peer.onText = (text) => peer.send(`${model} heard ${text}`);
  },
};

/** A websocket's answer to a text. */
async function askOver(socket: WebSocket, text: string): Promise<unknown> {
  socket.send(text);
  const [event]: unknown[] = await once(socket, 'message');
  return event instanceof MessageEvent ? event.data : event;
}

test('a websocket has its model loaded, and keeps it loaded until it is closed', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['chat', 'voice'], RIG);

  const socket = new WebSocket(`${jano.url}/v1/realtime?model=voice`);
  await once(socket, 'open');
  const other = ask(jano, 'chat');
  await untilShown(jano, ({ waiting }) => waiting.length === 1);
  const heard = await askOver(socket, 'hello');
  socket.close();

  assert.deepEqual(await other, goodReply('chat'));
  assert.equal(heard, 'voice heard hello');
  assert.deepEqual(machine.swaps(), ['voice', 'chat']);
  await untilRecorded(jano, 2);
  assert.deepEqual(endingsOf(jano), ['101 served', '200 served']);
  assert.deepEqual(machine.faults, []);
});

test('websockets wait for a slot as other requests do', async (t) => {
  const { jano } = await openMachineRig(t, ['chat'], {
    ...RIG,
    slots: 1,
    models: { chat: { parallel: 1 } },
  });

  const first = new WebSocket(`${jano.url}/upstream/chat/ws`);
  await once(first, 'open');
  const second = new WebSocket(`${jano.url}/upstream/chat/ws`);
  await untilShown(jano, ({ waiting, running }) => waiting.length === 1 && running.length === 1);
  first.close();

  await once(second, 'open');
  assert.equal(await askOver(second, 'hi'), 'chat heard hi');
  second.close();
  await untilRecorded(jano, 2);
  assertIdle(jano);
});

test('a caller that leaves while its websocket’s model is loaded is not waited for', async (t) => {
  const rig = await openMachineRig(t, ['chat', 'voice'], { ...RIG, isGated: true });
  const { machine, jano } = rig;

  const socket = new WebSocket(`${jano.url}/v1/realtime?model=voice`);
  await untilShown(jano, ({ swap }) => swap !== null);
  socket.close();
  await untilRecorded(jano, 1);
  await machine.go();

  await untilShown(jano, ({ swap }) => swap === null);
  assert.deepEqual(endingsOf(jano), ['499 abandoned']);
  assertIdle(jano);
});

test('a silent websocket is closed for somebody who waits for its memory, pings or not', async (t) => {
  const { jano } = await openMachineRig(t, ['chat', 'voice'], {
    resident: ['voice'],
    config: { limits: { idleSocket: '30ms' } },
    webSocket: (_model, req) => {
      const peer = acceptWebSocket(req);
      const pinging = setInterval(() => peer.ping(), 3);
      peer.socket.once('close', () => clearInterval(pinging));
    },
  });
  const socket = new WebSocket(`${jano.url}/v1/realtime?model=voice`);
  await once(socket, 'open');

  const closed = new Promise<[number, boolean]>((resolve) => {
    socket.addEventListener('close', ({ code, wasClean }) => resolve([code, wasClean]));
  });
  const reply = await ask(jano, 'chat');

  assert.deepEqual(reply, goodReply('chat'));
  assert.deepEqual(await closed, [1001, true]);
  await untilRecorded(jano, 2);
  assert.deepEqual(endingsOf(jano), ['101 served', '200 served']);
});

test('a silent websocket is closed for somebody who could as well have the memory of a busy one', async (t) => {
  const { jano } = await openMachineRig(t, ['chat', 'code', 'voice'], {
    ...RIG,
    resident: ['chat'],
    config: { limits: { idleSocket: '30ms' }, memory: { budget: 2 } },
    answer: (model, _req, res) => {
      if (model === 'chat') res.write('{');
      else res.end('{}');
    },
  });
  // It came first, and so it is the first to go; but it may never end.
  const busy = await fetch(`${jano.url}/upstream/chat/x`, { method: 'POST' });
  const silent = new WebSocket(`${jano.url}/v1/realtime?model=voice`);
  await once(silent, 'open');

  const other = fetch(`${jano.url}/upstream/code/x`, { method: 'POST' });

  await once(silent, 'close');
  assert.equal((await other).status, 200);
  await busy.body?.cancel();
  await untilRecorded(jano, 3);
  assert.deepEqual(endingsOf(jano), ['101 served', '200 served', '499 abandoned']);
});

test('an event stream that takes no slot is ended for somebody who waits for its memory, comments or not', async (t) => {
  const { jano } = await openMachineRig(t, ['chat', 'voice'], {
    resident: ['voice'],
    config: { limits: { idleSocket: '30ms' } },
    answer: (model, req, res) => {
      if (req.method === 'POST') return void res.end(model);
      res.setHeader('Content-Type', 'text/event-stream');
      res.write('data: 1\n\n');
      const pinging = setInterval(() => res.write(': still here\n\n'), 3);
      res.once('close', () => clearInterval(pinging));
    },
  });
  const stream = await fetch(`${jano.url}/upstream/voice/events`);

  const other = await fetch(`${jano.url}/upstream/chat/x`, { method: 'POST' });

  assert.equal(await other.text(), 'chat');
  assert.match(await stream.text(), /^data: 1\n\n(?:: still here\n\n)*$/);
  await untilRecorded(jano, 2);
  assert.deepEqual(endingsOf(jano), ['200 served', '200 served']);
});
