import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Stage } from '../stage.ts';

suite('a request for a resident model', () => {
  test('is forwarded at once', () => {
    const stage = new Stage({ chat: {} });
    stage.resident('chat');
    const id = stage.queue('chat', 10);

    const decision = stage.decide(10);

    const why = '"chat" is resident and has a free slot';
    assert.deepEqual(decision, { kind: 'forward', id, model: 'chat', why });
  });

  test('waits in Jano while the server has no free slot', () => {
    const stage = new Stage({ chat: { parallel: 2 } });
    stage.resident('chat');
    for (const at of [1, 2, 3]) stage.queue('chat', at);
    const first = stage.run(3);
    stage.finish('chat', 50);

    const second = stage.run(50);

    assert.deepEqual(first, ['forward 1', 'forward 2', 'wait']);
    assert.deepEqual(second, ['forward 3', 'wait']);
  });

  test('goes before an older one whose caller has more running already', () => {
    const stage = new Stage({ chat: { parallel: 3 } });
    stage.resident('chat');
    for (const at of [1, 2, 3, 4]) stage.queue('chat', at, 'script');
    stage.queue('chat', 5, 'person');

    const told = stage.run(5);

    assert.deepEqual(told, ['forward 1', 'forward 5', 'forward 2', 'wait']);
  });

  test('goes after an older one whose caller has as many running', () => {
    const stage = new Stage({ chat: {} });
    stage.resident('chat');
    for (const caller of ['anna', 'bert', 'bert', 'anna']) stage.queue('chat', 1, caller);

    const told = stage.run(1);

    assert.deepEqual(told, ['forward 1', 'forward 2', 'forward 3', 'forward 4', 'wait']);
  });

  test('is counted per model: what its caller runs elsewhere does not matter', () => {
    const stage = new Stage({ chat: { parallel: 1 }, embed: { pinned: true } });
    stage.resident('chat');
    stage.queue('embed', 1, 'anna');
    stage.run(1);
    stage.queue('chat', 2, 'anna');
    stage.queue('chat', 3, 'bert');

    const told = stage.run(3);

    assert.deepEqual(told, ['forward 2', 'wait']);
  });

  test('waits while the health of the model is asked', () => {
    const stage = new Stage({ chat: {} });
    stage.resident('chat');
    stage.happen({ kind: 'probeBegan', model: 'chat' }, 5);
    stage.queue('chat', 10);
    const during = stage.run(10);
    stage.probeEnded('chat', true, 20);

    const after = stage.run(20);

    assert.deepEqual(during, ['wait']);
    assert.deepEqual(after, ['forward 1', 'wait']);
  });

  test('does not wait for a swap if the model is pinned', () => {
    const stage = new Stage({ chat: {}, embed: { pinned: true } });
    stage.queue('chat', 0);
    const swap = stage.run(0);
    stage.queue('embed', 10);

    const told = stage.run(10);

    assert.deepEqual(swap, ['swap chat', 'wait']);
    assert.deepEqual(told, ['forward 2', 'wait']);
  });

  test('takes a slot that the server was found to have', () => {
    const stage = new Stage({ chat: { parallel: 1 } });
    stage.resident('chat');
    stage.queue('chat', 1);
    stage.queue('chat', 2);
    stage.run(2);
    stage.happen({ kind: 'parallelKnown', model: 'chat', parallel: 2 }, 3);

    const told = stage.run(3);

    assert.deepEqual(told, ['forward 2', 'wait']);
  });
});
