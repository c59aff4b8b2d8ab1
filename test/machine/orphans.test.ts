import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { until } from '../rig/polling.ts';
import { ask, goodReply, type Reachable } from './asking.ts';
import type { RawConfig } from '../support/startJano.ts';
import { type HeldAnswer, HeldAnswers } from './heldAnswers.ts';
import { type MachineRigOptions, openMachineRig } from './machineRig.ts';
import { untilStatus, untilWaiting } from './statusView.ts';

test('who comes after a caller that left early is sent once the server has an idle slot', async (t) => {
  const { jano, held, slots } = await openOneSlotRig(t);

  await abandon(jano, held);
  const next = ask(jano, 'a');
  await until('it is asked again and again', () => slots.questions > 3);
  const { waiting } = await untilWaiting(jano, 1);
  const sent = held.count;
  slots.busy = 0;
  await held.endNext(1);

  assert.equal(sent, 0);
  assert.match(waiting[0]?.why ?? '', /still works on one whose caller left$/);
  assert.deepEqual(await next, goodReply('a'));
});

test('who comes after a request that limits.request has ended is sent once a slot is idle', async (t) => {
  const { jano, held, slots } = await openOneSlotRig(t, { limits: { request: '50ms' } });

  const { status } = await ask(jano, 'a');
  await held.next();
  const next = ask(jano, 'a');
  await until('it is asked again and again', () => slots.questions > 3);
  const sent = held.count;
  slots.busy = 0;
  await held.next();
  await next;

  assert.deepEqual([status, sent], [504, 0]);
});

test('who comes after a conversation that was left in its answer is sent once a slot is idle', async (t) => {
  const { jano, held, slots } = await openOneSlotRig(t);
  const caller = new AbortController();
  const left = fetch(`${jano.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'X-Conversation-Id': 'conv-1' },
    body: '{"model":"a"}',
    signal: caller.signal,
  });
  (await held.next()).begin();
  await left;

  caller.abort();
  const next = ask(jano, 'a');
  await until('it is asked again and again', () => slots.questions > 3);
  const sent = held.count;
  slots.busy = 0;
  await held.endNext(1);

  assert.equal(sent, 0);
  assert.deepEqual(await next, goodReply('a'));
});

test('a server with a free slot and an idle one is asked no more', async (t) => {
  const { jano, held, slots } = await openOneSlotRig(t);
  slots.busy = 0;

  await abandon(jano, held);
  await Promise.all([ask(jano, 'a'), held.endNext(1)]);
  const questions = slots.questions;
  for (let count = 0; count < 5; count += 1) await Promise.all([ask(jano, 'a'), held.endNext(1)]);

  assert.deepEqual([questions, slots.questions], [1, 1]);
});

test('a caller that leaves once its answer has begun costs no question', async (t) => {
  const { jano, held, slots } = await openOneSlotRig(t);

  await abandon(jano, held, async (answer) => {
    answer.begin();
    await until('it has passed', () => jano.snapshot().running[0]?.bytes === 1);
  });
  await Promise.all([ask(jano, 'a'), held.endNext(1)]);

  assert.equal(slots.questions, 0);
});

test('a server that does not tell its slots is sent the next at once, and asked no more', async (t) => {
  const { jano, held, slots } = await openOneSlotRig(t, { slots: null });

  for (let count = 0; count < 3; count += 1) {
    await abandon(jano, held);
    await Promise.all([ask(jano, 'a'), held.endNext(1)]);
  }

  assert.equal(slots.questions, 1);
});

test('a server that is no llama-server is not asked for its slots, and sent the next at once', async (t) => {
  const { jano, held, slots } = await openOneSlotRig(t, { isLlama: false });

  for (let count = 0; count < 3; count += 1) {
    await abandon(jano, held);
    await Promise.all([ask(jano, 'a'), held.endNext(1)]);
  }

  assert.equal(slots.questions, 0);
});

test('a server that stops telling its slots is sent the next', async (t) => {
  const { jano, held, slots } = await openOneSlotRig(t);

  await abandon(jano, held);
  const next = ask(jano, 'a');
  await until('it is asked', () => slots.questions > 1);
  slots.busy = null;
  await held.endNext(1);

  assert.deepEqual(await next, goodReply('a'));
});

test('a server that dies meanwhile is loaded again', async (t) => {
  const { machine, jano, held, slots } = await openOneSlotRig(t);

  await abandon(jano, held);
  const met = ask(jano, 'a');
  await until('it is asked', () => slots.questions > 1);
  machine.kill('a');
  const { status } = await met;
  const next = ask(jano, 'a');
  await held.endNext(1);

  assert.equal(status, 502);
  assert.deepEqual(await next, goodReply('a'));
  assert.deepEqual(machine.swaps(), ['a']);
});

test('a swap does not wait for an answer that nobody waits for, and its server is asked no more', async (t) => {
  const { machine, jano, held, slots } = await openOneSlotRig(t);

  await abandon(jano, held);
  await until('it is asked', () => slots.questions > 1);
  const other = ask(jano, 'b');
  await held.endNext(1);
  const [reply, questions] = [await other, slots.questions];
  const back = ask(jano, 'a');
  await held.endNext(1);

  assert.deepEqual([reply, await back], [goodReply('b'), goodReply('a')]);
  assert.equal(slots.questions, questions);
  assert.deepEqual(machine.swaps(), ['b', 'a']);
});

test('a swap does not wait for a question about slots that hangs', async (t) => {
  const { jano, held, slots } = await openOneSlotRig(t, { hangs: true });

  await abandon(jano, held);
  await until('it is asked', () => slots.questions > 0);
  const other = ask(jano, 'b');
  await held.endNext(1);

  assert.deepEqual(await other, goodReply('b'));
});

test('a stop does not wait for a question about slots', async (t) => {
  const { jano, held, slots } = await openOneSlotRig(t, { hangs: true });

  await abandon(jano, held);
  await until('it is asked', () => slots.questions > 0);

  await jano.stop(60_000);
});

interface SlotsAnswer {
  /** How many slots the server of "a" says are at work; null = it does not tell. */
  busy: number | null;
  questions: number;
}

interface OneSlotOptions {
  readonly slots?: number | null;
  readonly hangs?: boolean;
  /** False: it has no /props. */
  readonly isLlama?: boolean;
  readonly limits?: RawConfig;
}

/** The model "a" is resident and takes one request at once, which it works on whoever leaves. */
async function openOneSlotRig(
  t: TestContext,
  { slots: busy = 1, hangs = false, isLlama = true, limits = {} }: OneSlotOptions = {},
) {
  const held = new HeldAnswers();
  const slots: SlotsAnswer = { busy, questions: 0 };
  const options: MachineRigOptions = {
    resident: ['a'],
    slots: isLlama ? 1 : null,
    models: { a: { parallel: 1 } },
    config: { limits },
    answer: (model, req, res) => {
      if (req.url === '/props') return res.writeHead(404).end();
      if (req.url !== '/slots') return held.answer(model, req, res);
      slots.questions += 1;
      if (hangs) return;
      res.statusCode = slots.busy === null ? 501 : 200;
      res.end(JSON.stringify([{ is_processing: slots.busy === 1 }]));
    },
  };
  return { held, slots, ...(await openMachineRig(t, ['a', 'b'], options)) };
}

/** A caller asks "a" and leaves once its request is there; the server has not answered, unless told otherwise. */
async function abandon(
  jano: Reachable,
  held: HeldAnswers,
  meanwhile: (answer: HeldAnswer) => Promise<void> = async () => undefined,
): Promise<void> {
  const caller = new AbortController();
  const leaving = ask(jano, 'a', { signal: caller.signal });
  const answer = await held.next();
  await meanwhile(answer);
  await untilStatus(jano, 'it runs', ({ inFlight }) => inFlight === 1);
  caller.abort();
  await assert.rejects(leaving);
  await answer.closed;
}
