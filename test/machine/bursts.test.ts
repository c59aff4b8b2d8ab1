import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askAll, goodReply } from './asking.ts';
import { HeldAnswers } from './heldAnswers.ts';
import { openMachineRig } from './machineRig.ts';
import { untilWaiting } from './statusView.ts';

const SIX = ['chat', 'code', 'chat', 'chat', 'code', 'code'];

test('six mixed requests while one of their models answers cost one swap', async (t) => {
  const held = new HeldAnswers();
  const rig = await openMachineRig(t, ['chat', 'code'], {
    answer: held.answer,
    resident: ['chat'],
  });

  const replies = askAll(rig.jano, SIX);
  const chats = await held.take(3);
  await untilWaiting(rig.jano, 3);
  for (const chat of chats) chat.end();
  await held.endNext(3);

  assert.deepEqual(await replies, SIX.map(goodReply));
  assert.deepEqual(rig.machine.swaps(), ['code']);
  assert.deepEqual(rig.machine.faults, []);
});

test('six mixed requests at once, in any order of arrival, cost one swap', async (t) => {
  const rig = await openMachineRig(t, ['chat', 'code'], {
    resident: ['chat'],
    // As shipped: half a second while no swap was measured.
    policy: { settleMaxMs: 1000 },
  });

  const replies = await askAll(rig.jano, ['code', 'chat', 'code', 'chat', 'chat', 'code']);

  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200, 200, 200, 200],
  );
  assert.deepEqual(rig.machine.swaps(), ['code']);
});

test('30 requests over three models cost three swaps when none is resident', async (t) => {
  const held = new HeldAnswers();
  const names = ['chat', 'code', 'big'];
  const rig = await openMachineRig(t, names, { answer: held.answer, isGated: true });
  const models = Array.from({ length: 30 }, (_, index) => names[(index * 7) % 3] ?? '');

  const replies = askAll(rig.jano, models);
  await untilWaiting(rig.jano, 30);
  for (let swaps = 0; swaps < 3; swaps += 1) {
    await rig.machine.go();
    await held.endNext(10);
  }

  assert.deepEqual(await replies, models.map(goodReply));
  assert.deepEqual(rig.machine.swaps().toSorted(), names.toSorted());
  assert.deepEqual(rig.machine.faults, []);
});

test('names of one model make no swap between them', async (t) => {
  const rig = await openMachineRig(t, ['chat'], {
    models: { chat: { aliases: ['unsloth/Qwen3', 'gpt-4o'] } },
  });
  const names = ['chat', 'unsloth/qwen3', 'gpt-4o', 'CHAT', 'chat:latest'];

  const replies = await askAll(rig.jano, names);

  assert.deepEqual(
    replies,
    names.map(() => goodReply('chat')),
  );
  assert.deepEqual(rig.machine.swaps(), ['chat']);
});
