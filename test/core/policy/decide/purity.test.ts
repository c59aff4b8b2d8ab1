import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decide } from '../../../../src/core/policy/decide.ts';
import { Stage } from '../stage.ts';

suite('a decision does not depend on the order of the models in the config', () => {
  test('when two models are to be asked', () => {
    const stages = inBothOrders((stage) => {
      for (const model of ['b', 'a']) stage.queue(model, 0);
      for (const model of ['a', 'b']) stage.model(model).doubt = 'unasked';
    });

    const decisions = stages.map((stage) => stage.decide(0));

    assert.deepEqual(decisions[0], decisions[1]);
    assert.deepEqual(stages[0]?.run(0), ['probe b', 'probe a', 'wait']);
  });

  test('when requests for two models are to be refused', () => {
    const stages = inBothOrders((stage) => {
      for (const model of ['b', 'a']) {
        stage.model(model).refusedUntil = 1000;
        stage.model(model).refusedSequence = 1;
        stage.queue(model, 0);
      }
    });

    const told = stages.map((stage) => stage.run(0));

    assert.deepEqual(told[0], ['reject 1: swap_failed', 'reject 2: swap_failed', 'wait']);
    assert.deepEqual(told[1], told[0]);
  });

  test('when two ttls end at the same time', () => {
    const stages = inBothOrders((stage) => {
      for (const model of ['b', 'a']) stage.resident(model);
    });

    const decisions = stages.map((stage) => stage.decide(5000));

    assert.deepEqual(decisions[0], decisions[1]);
  });

  test('when two models cost the same', () => {
    const stages = inBothOrders((stage) => {
      for (const model of ['b', 'a']) stage.queue(model, 0);
    });

    const decisions = stages.map((stage) => stage.decide(0));

    assert.deepEqual(decisions[0], decisions[1]);
  });

  test('when two models may leave', () => {
    const stages = inBothOrders((stage) => {
      for (const model of ['b', 'a']) stage.resident(model);
      stage.queue('c', 0);
    });

    const decisions = stages.map((stage) => stage.decide(600));

    assert.deepEqual(decisions[0], decisions[1]);
  });
});

test('deciding changes nothing', () => {
  const stage = new Stage({ chat: {}, code: {} });
  stage.resident('chat');
  stage.serve('chat', 0, 'agent', 'toolCall');
  for (const model of ['chat', 'code', 'chat']) stage.queue(model, 100);
  const before = structuredClone(stage.state);

  const decisions = [0, 1, 2].map(() => decide(stage.state, 200));

  assert.deepEqual(stage.state, before);
  assert.deepEqual(decisions[1], decisions[0]);
  assert.deepEqual(decisions[2], decisions[0]);
});

function inBothOrders(set: (stage: Stage) => void): Stage[] {
  const models = [
    ['a', { ttlMs: 5000 }],
    ['b', { ttlMs: 5000 }],
    ['c', {}],
  ] as const;
  return [models, models.toReversed()].map((ordered) => {
    const stage = new Stage(Object.fromEntries(ordered), { memoryBudget: 2 });
    set(stage);
    return stage;
  });
}
