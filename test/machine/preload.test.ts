import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, goodReply } from './asking.ts';
import { openMachineRig } from './machineRig.ts';
import { readStatus, untilStatus } from './statusView.ts';

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
