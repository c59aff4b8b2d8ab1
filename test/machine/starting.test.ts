import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBackend } from '../support/fakeBackend.ts';
import { startMachine } from '../support/machine.ts';
import { startJano } from '../support/startJano.ts';
import { ask, goodReply } from './asking.ts';
import { answerAtOnce } from './heldAnswers.ts';
import { openMachineRig } from './machineRig.ts';
import { readStatus } from './statusView.ts';

test('what the script calls loaded at start is used without a swap', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    resident: ['b'],
    status: 'echo "a: unloaded"; echo "b: loaded"',
  });
  const { currentModel, loadedModels } = await readStatus(jano);

  const reply = await ask(jano, 'b');

  assert.deepEqual([currentModel, loadedModels], ['b', ['b']]);
  assert.deepEqual(reply, goodReply('b'));
  assert.deepEqual(machine.calls(), ['status']);
});

test('without a word of the script, what is healthy at start is used without a swap', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], { resident: ['b'] });

  const reply = await ask(jano, 'b');

  assert.deepEqual(reply, goodReply('b'));
  assert.deepEqual(machine.calls(), ['status']);
});

test('of more healthy models than fit none is taken for resident, and all make room for the next', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b', 'c'], { resident: ['a', 'b'] });
  const { loadedModels } = await readStatus(jano);

  const reply = await ask(jano, 'c');

  assert.deepEqual(loadedModels, []);
  assert.deepEqual(reply, goodReply('c'));
  assert.deepEqual(machine.residents(), ['c']);
});

test('of more healthy models than fit the first that is wanted is used without a swap', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], { resident: ['a', 'b'] });

  const first = await ask(jano, 'a');
  const second = await ask(jano, 'b');
  const { swapsTotal, swapsAvoided } = await readStatus(jano);

  assert.deepEqual([first, second], [goodReply('a'), goodReply('b')]);
  assert.deepEqual([swapsTotal, swapsAvoided], [1, 0]);
  assert.deepEqual(machine.residents(), ['b']);
});

test('the health of a pinned model is known from the start', async (t) => {
  const { jano } = await openMachineRig(t, ['a', 'b'], {
    resident: ['a'],
    models: { a: { pinned: true }, b: { pinned: true } },
  });

  const { backendHealth } = await readStatus(jano);

  assert.deepEqual(backendHealth, { a: 'up', b: 'down' });
});

test('models that share a URL are told apart by what their health contains', async (t) => {
  const machine = await startMachine(t, ['qwen', 'gemma'], answerAtOnce, { resident: ['gemma'] });
  const url = await startBackend(t, async (req, res) => {
    if (req.url === '/api/ps') return void res.end(JSON.stringify({ models: machine.residents() }));
    const { model } = JSON.parse((await req.toArray()).join(''));
    if (!machine.residents().includes(model)) machine.faults.push(`${model} is not loaded`);
    answerAtOnce(model, req, res);
  });
  const jano = await startJano(t, {
    swap: { command: machine.command, timeout: '20s', poll: '10ms' },
    models: ['qwen', 'gemma'].map((name) => ({
      name,
      url,
      parallel: 1,
      health: { path: '/api/ps', contains: `"${name}"` },
    })),
  });
  const atStart = await readStatus(jano);

  const replies = await Promise.all(['gemma', 'qwen', 'gemma'].map((model) => ask(jano, model)));
  const back = await ask(jano, 'gemma');

  assert.deepEqual(atStart.loadedModels, ['gemma']);
  assert.deepEqual([...replies, back], ['gemma', 'qwen', 'gemma', 'gemma'].map(goodReply));
  assert.deepEqual(machine.swaps().slice(0, 1), ['qwen']);
  assert.deepEqual(machine.faults, []);
});

test('models that share a URL and cannot be told apart are loaded before they are used', async (t) => {
  const machine = await startMachine(t, ['qwen', 'gemma'], answerAtOnce, { resident: ['gemma'] });
  const url = await startBackend(t, (req, res) => answerAtOnce('gemma', req, res));
  const jano = await startJano(t, {
    swap: { command: machine.command, timeout: '20s', poll: '10ms' },
    models: ['qwen', 'gemma'].map((name) => ({ name, url, parallel: 1 })),
  });

  const reply = await ask(jano, 'gemma');

  assert.deepEqual(reply, goodReply('gemma'));
  assert.deepEqual(machine.swaps(), ['gemma']);
});
