import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../rig/polling.ts';
import { ask, askAll, goodReply, UP_TO_30_SECONDS } from './asking.ts';
import { answerAtOnce, HeldAnswers } from './heldAnswers.ts';
import { openMachineRig } from './machineRig.ts';
import { readStatus, untilStatus, untilWaiting } from './statusView.ts';

test('many who meet a dead model at once make it be loaded once', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], { resident: ['a'] });
  machine.kill('a');

  const replies = await askAll(jano, ['a', 'a', 'a', 'a', 'a', 'a', 'a', 'a']);

  const met = replies.filter(({ status }) => status === 502);
  const served = replies.filter(({ status }) => status === 200);
  // As many as its slots at most: nothing is sent to it while it is asked for its health.
  assert.ok(met.length >= 1 && met.length <= 4, `${met.length}`);
  assert.equal(met.length + served.length, 8);
  assert.deepEqual(machine.swaps(), ['a']);
});

test('a model that broke one connection and is healthy is not loaded again', async (t) => {
  let isFirst = true;
  const { machine, jano } = await openMachineRig(t, ['a'], {
    resident: ['a'],
    answer: (model, req, res) => {
      if (!isFirst) return answerAtOnce(model, req, res);
      isFirst = false;
      req.socket.destroy();
    },
  });

  const first = await ask(jano, 'a');
  const second = await ask(jano, 'a');

  assert.equal(first.status, 502);
  assert.deepEqual(second, goodReply('a'));
  assert.deepEqual(machine.swaps(), []);
});

test('nothing is swapped for a dead model until what runs on it has ended', async (t) => {
  const held = new HeldAnswers();
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    answer: held.answer,
    resident: ['a'],
  });

  const running = ask(jano, 'a');
  const streaming = await held.next();
  streaming.begin();
  machine.setResidents();
  const met = await ask(jano, 'a');
  const next = [ask(jano, 'a'), ask(jano, 'b')];
  const { waiting, swap, inFlight } = await untilWaiting(jano, 2);
  streaming.end();
  const again = await held.endNext(2);

  assert.deepEqual([met.status, swap, inFlight], [502, null, 1]);
  const ofDead = waiting.find(({ model }) => model === 'a');
  assert.equal(ofDead?.why, 'the server of "a" died and its last requests are still ending');
  assert.deepEqual(await running, goodReply('a'));
  assert.deepEqual(await Promise.all(next), ['a', 'b'].map(goodReply));
  assert.equal(again.length, machine.swaps().length);
});

test('a dead model is unloaded before it is loaded again, in case its process hangs', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], { resident: ['a'] });
  machine.kill('a');

  await ask(jano, 'a');
  await ask(jano, 'b');

  assert.deepEqual(machine.leavings(), ['a']);
});

test('a model that dies again before it has answered anything is refused, saying so', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], {
    answer: (model) => machine.kill(model),
  });

  const replies = [];
  for (let count = 0; count < 4; count += 1) replies.push(await ask(jano, 'a'));

  assert.deepEqual(
    replies.map(({ status }) => status),
    [502, 502, 503, 503],
  );
  assert.match(replies[3]?.text ?? '', /^model "a" could not be loaded: its server died .*again/);
  assert.match(replies[3]?.retryAfter ?? '', UP_TO_30_SECONDS);
  assert.deepEqual(machine.swaps(), ['a', 'a']);
});

test('a model that dies now and then is loaded again each time', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], { resident: ['a'] });

  for (let count = 0; count < 4; count += 1) {
    machine.kill('a');
    assert.equal((await ask(jano, 'a')).status, 502);
    assert.deepEqual(await ask(jano, 'a'), goodReply('a'));
  }

  assert.deepEqual(machine.swaps(), ['a', 'a', 'a', 'a']);
});

test('a pinned model that died is asked for its health, and never loaded', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['embed', 'a'], {
    resident: ['embed'],
    models: { embed: { pinned: true } },
  });
  machine.kill('embed');

  const dead = await ask(jano, 'embed');
  machine.setResidents('embed');
  await until('it is served again', async () => (await ask(jano, 'embed')).status === 200);

  assert.equal(dead.status, 502);
  assert.deepEqual(machine.swaps(), []);
});

test('an answer that a dying server cuts is broken off, and the next request loads it again', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], {
    resident: ['a'],
    answer: (model, req, res) => {
      if (machine.swaps().length > 0) return answerAtOnce(model, req, res);
      res.write('{', () => machine.kill(model));
    },
  });

  await assert.rejects(ask(jano, 'a'));
  const next = await ask(jano, 'a');

  assert.deepEqual(next, goodReply('a'));
  assert.deepEqual(machine.swaps(), ['a']);
});

test('a model is down from when it was found dead until it answers again', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], { resident: ['a'] });
  machine.kill('a');

  await ask(jano, 'a');
  const dead = await untilStatus(
    jano,
    'it is gone',
    ({ loadedModels }) => loadedModels.length === 0,
  );
  await ask(jano, 'a');
  const alive = await readStatus(jano);

  assert.deepEqual([dead.backendHealth['a'], dead.currentModel], ['down', null]);
  assert.deepEqual([alive.backendHealth['a'], alive.currentModel], ['up', 'a']);
  assert.equal(alive.swapsAvoided, 0);
});
