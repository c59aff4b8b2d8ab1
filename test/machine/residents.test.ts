import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, askAll, goodReply } from './asking.ts';
import { HeldAnswers } from './heldAnswers.ts';
import { openMachineRig } from './machineRig.ts';
import { readStatus, untilStatus, untilWaiting } from './statusView.ts';

test('a pinned model answers beside the others and is never loaded or unloaded', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['embed', 'a', 'b'], {
    resident: ['embed'],
    models: { embed: { pinned: true } },
  });

  const models = ['a', 'embed', 'b', 'embed', 'a', 'embed'];
  const replies = await askAll(jano, models);

  assert.deepEqual(replies, models.map(goodReply));
  assert.ok(!machine.swaps().includes('embed'));
  assert.ok(!machine.leavings().join().includes('embed'));
  assert.ok(machine.residents().includes('embed'));
});

test('a request for a pinned model does not wait for a swap', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['embed', 'a'], {
    resident: ['embed'],
    models: { embed: { pinned: true } },
    isGated: true,
  });

  const slow = ask(jano, 'a');
  await untilStatus(jano, 'a swap runs', ({ swap }) => swap !== null);
  const quick = await ask(jano, 'embed');
  const { swap } = await readStatus(jano);
  await machine.go();

  assert.deepEqual(quick, goodReply('embed'));
  assert.equal(swap?.to, 'a');
  assert.deepEqual(await slow, goodReply('a'));
});

test('as many models are resident as fit, and the one used longest ago makes room', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b', 'c', 'd'], {
    config: { memory: { budget: 3 } },
    models: { d: { memory: 2 } },
  });

  for (const model of ['a', 'b', 'c', 'a'])
    assert.deepEqual(await ask(jano, model), goodReply(model));
  const three = machine.residents().toSorted();
  assert.deepEqual(await ask(jano, 'd'), goodReply('d'));

  assert.deepEqual(three, ['a', 'b', 'c']);
  assert.deepEqual(machine.residents().toSorted(), ['a', 'd']);
  assert.deepEqual(machine.leavings(), ['', '', '', 'b c']);
  assert.deepEqual((await readStatus(jano)).loadedModels, ['a', 'd']);
});

test('an idle model makes room before one that is at work, though it was used later', async (t) => {
  const held = new HeldAnswers();
  const { machine, jano } = await openMachineRig(t, ['a', 'b', 'c'], {
    answer: held.answer,
    config: { memory: { budget: 2 } },
    resident: ['a', 'b'],
  });

  const replies = [ask(jano, 'a')];
  const working = await held.next();
  replies.push(ask(jano, 'b'));
  await held.endNext(1);
  replies.push(ask(jano, 'c'));
  await held.endNext(1);
  working.end();

  assert.deepEqual(await Promise.all(replies), ['a', 'b', 'c'].map(goodReply));
  assert.deepEqual(machine.leavings(), ['b']);
  assert.deepEqual(machine.faults, []);
});

test('while all resident models are at work, a request for another waits for one of them', async (t) => {
  const held = new HeldAnswers();
  const { machine, jano } = await openMachineRig(t, ['a', 'b', 'c'], {
    answer: held.answer,
    config: { memory: { budget: 2 } },
    resident: ['a', 'b'],
  });

  const replies = [ask(jano, 'a'), ask(jano, 'b')];
  const both = await held.take(2);
  replies.push(ask(jano, 'c'));
  const { swap } = await untilWaiting(jano, 1);
  for (const answer of both) answer.end();
  await held.endNext(1);

  assert.equal(swap, null);
  assert.deepEqual(await Promise.all(replies), ['a', 'b', 'c'].map(goodReply));
  assert.equal(machine.swaps().length, 1);
  assert.deepEqual(machine.faults, []);
});
