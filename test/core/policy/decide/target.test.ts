import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Stage } from '../stage.ts';

// Before anything is measured a swap counts 20 s: a turn is 80 s then, overdue is 40 s.
suite('when the resident model has nothing left', () => {
  test('the model is loaded whose swap costs least per waiting request', () => {
    const stage = new Stage({ chat: {}, code: {}, big: {} });
    stage.resident('chat');
    stage.measured('code', 20_000);
    stage.measured('big', 30_000);
    stage.queue('code', 0);
    stage.queue('big', 1);
    stage.queue('big', 2);

    const decision = stage.decide(1000);

    assert.equal(decision.kind === 'swap' && decision.load, 'big');
  });

  test('of two that cost the same, the one that was asked for first is loaded', () => {
    const stage = new Stage({ code: {}, chat: {}, big: {} });
    stage.resident('chat');
    stage.queue('big', 0);
    stage.queue('code', 1);

    assert.deepEqual(stage.run(600), ['swap big for chat', 'wait']);
  });

  test('the decision names the request at the head of the queue, and why', () => {
    const stage = new Stage({ chat: {}, code: {} });
    stage.resident('chat');
    const id = stage.queue('code', 100, 'anna');
    stage.queue('code', 200, 'bert');

    const decision = stage.decide(600);

    assert.deepEqual(decision, {
      kind: 'swap',
      load: 'code',
      unload: ['chat'],
      head: { id, model: 'code', caller: 'anna', queuedAt: 100, sequence: 0 },
      why: '"chat" has nothing left to do',
    });
  });

  test('an overdue request comes first, whatever the others cost', () => {
    const stage = new Stage({ chat: {}, code: {}, big: {} });
    stage.resident('chat', 0);
    stage.queue('big', 0);
    for (const at of [1, 2, 3]) stage.queue('code', at);

    const before = stage.decide(39_999);
    const after = stage.decide(40_000);

    assert.equal(before.kind === 'swap' && before.load, 'code');
    assert.equal(after.kind === 'swap' && after.load, 'big');
    assert.equal(after.why, 'a request for "big" has waited long enough');
  });

  test('nothing is loaded for a caller that has left', () => {
    const stage = new Stage({ chat: {}, code: {} });
    stage.resident('chat');
    const id = stage.queue('code', 0);
    stage.happen({ kind: 'left', id, model: 'code' }, 100);

    const decision = stage.decide(600);

    const why = 'nobody waits for a model that is not resident';
    assert.deepEqual(decision, { kind: 'wait', until: null, blockedBy: [], why });
  });

  test('only one model is loaded at a time', () => {
    const stage = new Stage({ chat: {}, code: {} }, { memoryBudget: 2 });
    stage.queue('chat', 0);
    const first = stage.run(0);
    stage.queue('code', 10);

    const decision = stage.decide(10);

    assert.deepEqual(first, ['swap chat', 'wait']);
    assert.deepEqual(decision, {
      kind: 'wait',
      until: null,
      blockedBy: [],
      why: 'a swap is running',
    });
  });
});

suite('a model that fits into free memory', () => {
  test('is loaded first and at once, without a blink', () => {
    const stage = new Stage({ chat: {}, code: { memory: 2 }, fast: {} }, { memoryBudget: 2 });
    stage.resident('chat');
    stage.queue('code', 0);
    stage.queue('fast', 1);

    const decision = stage.decide(1);

    assert.equal(decision.kind === 'swap' && decision.load, 'fast');
    assert.equal(decision.why, 'there is room for "fast"');
  });

  test('has to wait once another is overdue', () => {
    const stage = new Stage({ chat: {}, code: { memory: 2 }, fast: {} }, { memoryBudget: 2 });
    stage.resident('chat');
    stage.queue('code', 0);
    stage.queue('fast', 1);

    assert.deepEqual(stage.run(40_000), ['swap code for chat', 'wait']);
  });
});

suite('a running request', () => {
  test('is never cut, even when others are overdue', () => {
    const stage = new Stage({ chat: {}, code: {} });
    stage.resident('chat');
    stage.queue('chat', 0);
    stage.run(0);
    stage.queue('code', 1);
    const decision = stage.decide(3_600_000);
    stage.finish('chat', 3_600_001);

    const told = stage.run(3_600_001);

    assert.deepEqual(decision, {
      kind: 'wait',
      until: null,
      blockedBy: ['chat'],
      why: '"chat" still has work',
    });
    assert.deepEqual(told, ['swap code for chat', 'wait']);
  });

  test('is waited for on each model whose memory would do, and on no smaller one', () => {
    const stage = new Stage(
      { chat: { memory: 2 }, voice: { memory: 2 }, fast: {}, code: { memory: 2 } },
      { memoryBudget: 5 },
    );
    for (const model of ['chat', 'voice', 'fast']) {
      stage.resident(model);
      stage.happen({ kind: 'visitBegan', model }, 0);
    }
    stage.queue('code', 1);

    const decision = stage.decide(3_600_000);

    assert.deepEqual(decision.kind === 'wait' && decision.blockedBy, ['chat', 'voice']);
  });

  test('that takes no slot keeps its model, too', () => {
    const stage = new Stage({ chat: {}, code: {} });
    stage.resident('chat');
    stage.happen({ kind: 'visitBegan', model: 'chat' }, 0);
    stage.queue('code', 1);
    const during = stage.run(1000);
    stage.happen({ kind: 'visitEnded', model: 'chat' }, 2000);

    const after = stage.run(2000);

    assert.deepEqual(during, ['wait']);
    assert.deepEqual(after, ['swap code for chat', 'wait']);
  });
});

suite('a model that cannot fit yet', () => {
  test('does not keep out one that can, not even when it is overdue', () => {
    const stage = new Stage({ hung: {}, large: { memory: 2 }, small: {} }, { memoryBudget: 2 });
    stage.resident('hung');
    stage.queue('hung', 0);
    stage.run(0);
    stage.happen({ kind: 'probeBegan', model: 'hung' }, 10);
    stage.probeEnded('hung', false, 20);
    stage.queue('large', 30);
    stage.queue('small', 40);

    assert.deepEqual(stage.run(1_000_000), ['swap small', 'wait']);
  });
});

suite('a preload', () => {
  test('loads a model that nobody has asked for yet', () => {
    const stage = new Stage({ chat: {} });
    stage.happen({ kind: 'preload', model: 'chat' }, 0);

    const decision = stage.decide(0);

    const why = 'to be loaded at start';
    assert.deepEqual(decision, { kind: 'swap', load: 'chat', unload: [], head: null, why });
  });

  test('waits until it disturbs nobody', () => {
    const stage = new Stage({ chat: {}, code: {} });
    stage.resident('chat');
    stage.happen({ kind: 'preload', model: 'code' }, 0);
    stage.queue('chat', 0);
    const during = stage.run(0);
    stage.finish('chat', 900);

    const after = stage.run(900);

    assert.deepEqual(during, ['forward 1', 'wait']);
    assert.deepEqual(after, ['swap code for chat', 'wait']);
  });

  test('is done when the model is resident already', () => {
    const stage = new Stage({ chat: {}, code: {} });
    stage.resident('chat');
    stage.happen({ kind: 'preload', model: 'chat' }, 0);
    stage.queue('code', 10);
    stage.run(600);
    stage.swapEnded('ok', 20_600);
    stage.run(20_600);
    stage.finish('code', 21_000);

    assert.deepEqual(stage.run(21_000), ['wait']);
  });

  test('is tried twice like any other', () => {
    const stage = new Stage({ chat: {} });
    stage.happen({ kind: 'preload', model: 'chat' }, 0);
    stage.run(0);
    stage.swapEnded('script_failed', 900);
    const second = stage.run(900);
    stage.swapEnded('script_failed', 1800);

    const third = stage.run(1800);

    assert.deepEqual(second, ['swap chat', 'wait']);
    assert.deepEqual(third, ['wait']);
  });
});
