import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../rig/polling.ts';
import { WAIT_FOR_GO } from '../support/machine.ts';
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

test('preload loads a model that nobody has asked for', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], { config: { preload: 'b' } });

  const status = await untilStatus(jano, '"b" is loaded', (now) => now.currentModel === 'b');
  const reply = await ask(jano, 'b');

  assert.deepEqual(machine.swaps(), ['b']);
  assert.equal(status.swapsAvoided, 0);
  assert.deepEqual(reply, goodReply('b'));
});

test('preload is done once: a model that was resident at start may leave for good', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b', 'c'], {
    config: { preload: 'a' },
    resident: ['a'],
  });

  for (const model of ['b', 'c']) assert.deepEqual(await ask(jano, model), goodReply(model));

  assert.deepEqual(machine.swaps(), ['b', 'c']);
  assert.equal((await readStatus(jano)).currentModel, 'c');
});

test('a request that names no model goes to the default, which is loaded for it', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    config: { default: 'b' },
    resident: ['a'],
  });

  const response = await fetch(`${jano.url}/v1/chat/completions`, { method: 'POST', body: '{}' });

  assert.match(await response.text(), /b says hello/);
  assert.deepEqual(machine.swaps(), ['b']);
});

test('without a default it goes to the model used last, without a swap', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], { resident: ['b'] });

  const response = await fetch(`${jano.url}/v1/chat/completions`, { method: 'POST', body: '{}' });

  assert.match(await response.text(), /b says hello/);
  assert.deepEqual(machine.swaps(), []);
});

test('a preload that fails is tried twice and then left alone', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    config: { preload: 'a' },
    script: '[ "$1" != a ] || exit 1',
  });
  await untilStatus(jano, 'it failed twice', (now) => now.swapFailuresTotal === 2);

  const reply = await ask(jano, 'b');

  assert.deepEqual(reply, goodReply('b'));
  assert.deepEqual(machine.swaps(), ['a', 'a', 'b']);
});
