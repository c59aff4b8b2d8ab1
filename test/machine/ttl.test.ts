import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../rig/polling.ts';
import { WAIT_FOR_GO } from '../support/machine.ts';
import { ask, goodReply } from './asking.ts';
import { HeldAnswers } from './heldAnswers.ts';
import { openMachineRig } from './machineRig.ts';
import { readStatus, untilStatus, untilWaiting } from './statusView.ts';

test('a model that was idle for its ttl is unloaded, and loaded again when it is asked', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], { models: { a: { ttl: '20ms' } } });

  assert.deepEqual(await ask(jano, 'a'), goodReply('a'));
  await until('it is gone', () => machine.residents().length === 0);
  const { currentModel } = await readStatus(jano);
  const reply = await ask(jano, 'a');

  assert.equal(currentModel, null);
  assert.deepEqual(reply, goodReply('a'));
  assert.deepEqual(machine.calls().slice(0, 4), ['status', 'a', 'unload a', 'a']);
});

test('a model at work is not unloaded, however long its answer takes', async (t) => {
  const held = new HeldAnswers();
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    answer: held.answer,
    config: { memory: { budget: 2 } },
    models: { a: { ttl: '1ms' }, b: { ttl: '1ms' } },
  });

  const replies = [ask(jano, 'a')];
  const working = await held.next();
  replies.push(ask(jano, 'b'));
  await held.endNext(1);
  await untilStatus(jano, 'only "a" is left', ({ loadedModels }) => loadedModels.join() === 'a');
  working.end();

  assert.deepEqual(await Promise.all(replies), ['a', 'b'].map(goodReply));
  assert.deepEqual(machine.faults, []);
});

test('a request that comes while its model is being unloaded has it loaded again', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], {
    resident: ['a'],
    models: { a: { ttl: '1ms' } },
    unload: WAIT_FOR_GO,
  });
  await until('the unload runs', () => machine.calls().includes('unload a'));

  const reply = ask(jano, 'a');
  const { waiting } = await untilWaiting(jano, 1);
  await machine.go();

  assert.equal(waiting[0]?.why, '"a" is being unloaded');
  assert.deepEqual(await reply, goodReply('a'));
  assert.deepEqual(machine.calls().slice(0, 3), ['status', 'unload a', 'a']);
  // For the unload that may have begun since.
  await machine.go();
});

test('a model that cannot be unloaded stays, is used on, and is tried again after its ttl', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], {
    resident: ['a'],
    models: { a: { ttl: '1ms' } },
    unload: 'exit 1',
  });
  const countTries = (): number => machine.calls().filter((call) => call === 'unload a').length;

  await until('it was tried twice', () => countTries() >= 2);
  const reply = await ask(jano, 'a');

  assert.deepEqual(reply, goodReply('a'));
  assert.deepEqual(machine.swaps(), []);
});
