import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { z } from 'zod';
import { readStatus, untilStatus, untilWaiting } from '../machine/statusView.ts';
import { startLlamaRig } from '../rig/llamaRig.ts';
import { until } from '../rig/polling.ts';
import type { SwapRig } from '../rig/swapRig.ts';
import type { RunningJano } from '../support/startJano.ts';
import { startJanoOn } from './rigJano.ts';
import { openStream, readStream, stream } from './streaming.ts';

/** Large enough to speak for some seconds when it is not to stop. */
const SLOW = { kind: 'chat', embeddingLength: 128, layers: 8 } as const;
const ENDLESS = { ignore_eos: true };

const slots = z.array(z.object({ is_processing: z.boolean() }));

test('the speed that /status shows is the one the server told, to one decimal', async (t) => {
  const { jano } = (await open(t)) ?? {};
  if (jano === undefined) return;

  const { tokensPerSecond } = await stream(jano, 'chat');
  const { recentGenTokS } = await readStatus(jano);

  assert.equal(recentGenTokS, Math.round(tokensPerSecond * 10) / 10);
});

test('a caller that stops mid-stream frees the slot of the server', async (t) => {
  const { jano, rig } = (await open(t, '-c 16384 -np 1')) ?? {};
  if (jano === undefined || rig === undefined) return;
  const caller = new AbortController();

  const response = await openStream(jano, 'chat', ENDLESS, caller.signal);
  await response.body?.getReader().read();
  const busy = await countBusySlots(rig);
  caller.abort();

  assert.equal(busy, 1);
  await until('the slot is free', async () => (await countBusySlots(rig)) === 0);
  assert.match((await stream(jano, 'chat')).text, /^tiny-chat says:/);
});

test('parallel auto is what the server was started with', async (t) => {
  const { jano } = (await open(t, '-c 32768 -np 2')) ?? {};
  if (jano === undefined) return;
  const callers = new AbortController();

  const asked = [1, 2, 3].map(() => openStream(jano, 'chat', ENDLESS, callers.signal));
  const { inFlight, waiting } = await untilWaiting(jano, 1);
  callers.abort();

  assert.equal(inFlight, 2);
  assert.equal(waiting[0]?.why, '"chat" is answering 2 of 2 requests at once');
  await Promise.allSettled(asked);
});

test('a swap waits for four requests that stream, and cuts none', async (t) => {
  const { jano } = (await open(t, '-c 16384')) ?? {};
  if (jano === undefined) return;

  const chats = [1, 2, 3, 4].map(() => openStream(jano, 'chat', { ...ENDLESS, max_tokens: 100 }));
  const streams = await Promise.all(chats);
  const code = stream(jano, 'code');
  const { waiting, swap } = await untilWaiting(jano, 1);
  const whole = await Promise.all(streams.map((response) => readStream(response)));

  assert.deepEqual([waiting[0]?.model, swap], ['code', null]);
  for (const { text } of whole) assert.match(text, /^tiny-chat says:/);
  assert.match((await code).text, /^def tiny_code/);
  assert.equal((await readStatus(jano)).swapsTotal, 1);
});

test('a server that is killed mid-stream breaks its callers off, and is started again', async (t) => {
  const { jano, rig } = (await open(t, '-c 16384')) ?? {};
  if (jano === undefined || rig === undefined) return;

  const response = await openStream(jano, 'chat', ENDLESS);
  const pid = await rig.findPid('chat');
  if (pid === null) throw new Error('the server does not run');
  process.kill(pid, 'SIGKILL');
  await assert.rejects(response.text());
  await untilStatus(jano, 'its end was seen', ({ inFlight }) => inFlight === 0);
  const next = await openStream(jano, 'chat');

  assert.equal(next.status, 200);
  assert.match((await readStream(next)).text, /^tiny-chat says:/);
  assert.equal((await readStatus(jano)).swapsTotal, 1);
});

async function open(
  t: TestContext,
  args = '',
): Promise<{ jano: RunningJano; rig: SwapRig } | undefined> {
  const rig = await startLlamaRig(t, { models: { chat: SLOW, code: { kind: 'code' } }, args });
  if (rig === null) return undefined;
  return { rig, jano: await startJanoOn(t, rig, ['chat', 'code'], 'chat') };
}

async function countBusySlots(rig: SwapRig): Promise<number> {
  const response = await fetch(`${rig.urlOf('chat')}/slots`);
  return slots.parse(await response.json()).filter((slot) => slot.is_processing).length;
}
