import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { z } from 'zod';
import { readStatus, untilStatus, untilWaiting } from '../machine/statusView.ts';
import { startLlamaRig } from '../rig/llamaRig.ts';
import { until } from '../rig/polling.ts';
import type { RunningJano } from '../support/startJano.ts';
import { startJanoOn } from './rigJano.ts';
import { stream, type StreamedAnswer } from './streaming.ts';

/** Large enough to speak for some seconds, or for longer than any test waits, when it is not to stop. */
const SLOW = { kind: 'chat', embeddingLength: 256, layers: 8 } as const;
const SOME_SECONDS = 2000;
const VERY_LONG = 30_000;

const slots = z.array(z.object({ is_processing: z.boolean() }));

test('llama-server works on for a caller that left, and the next one is sent once it has a free slot', async (t) => {
  const jano = await open(t);
  if (jano === undefined) return;

  await abandon(jano, SOME_SECONDS);
  const next = stream(jano, 'chat');
  const { waiting } = await untilWaiting(jano, 1);
  const worksOn = await isAtWork(jano);
  // However long that takes on a busy machine.
  const { text } = await next;

  assert.equal(worksOn, true);
  assert.match(waiting[0]?.why ?? '', /still works on one whose caller left$/);
  assert.match(text, /^tiny-chat says:/);
});

test('a swap does not wait until llama-server has ended what nobody waits for', async (t) => {
  const jano = await open(t);
  if (jano === undefined) return;

  await abandon(jano, VERY_LONG);
  const worksOn = await isAtWork(jano);
  let answer: StreamedAnswer | undefined;
  void stream(jano, 'code').then((whole) => (answer = whole));
  await until('the other model has answered', () => answer !== undefined);

  assert.equal(worksOn, true);
  assert.match(answer?.text ?? '', /^def tiny_code/);
  assert.equal((await readStatus(jano)).swapsTotal, 1);
});

/** Jano in front of a llama-server with one slot. */
async function open(t: TestContext): Promise<RunningJano | undefined> {
  const models = { chat: SLOW, code: { kind: 'code' } } as const;
  const rig = await startLlamaRig(t, { models, args: '-c 32768 -np 1' });
  if (rig === null) return undefined;
  return startJanoOn(t, rig, ['chat', 'code'], 'chat');
}

/** A caller asks for so many tokens in one piece, and leaves when the server is at work on them. */
async function abandon(jano: RunningJano, tokens: number): Promise<void> {
  const caller = new AbortController();
  const messages = [{ role: 'user', content: 'Who are you?' }];
  const leaving = fetch(`${jano.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'chat', messages, ignore_eos: true, max_tokens: tokens }),
    signal: caller.signal,
  });
  await until('it is at work', () => isAtWork(jano));
  caller.abort();
  await assert.rejects(leaving);
  await untilStatus(jano, 'its end was seen', ({ inFlight }) => inFlight === 0);
}

/** The server of "chat" is asked through Jano: such a request takes no slot. */
async function isAtWork({ url }: RunningJano): Promise<boolean> {
  const response = await fetch(`${url}/upstream/chat/slots`);
  return slots.parse(await response.json()).some((slot) => slot.is_processing);
}
