import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Stage } from '../stage.ts';

suite('of several resident models', () => {
  test('idle ones leave first, even if their turn began last', () => {
    const stage = new Stage({ a: {}, b: {}, c: {} }, { memoryBudget: 2 });
    stage.resident('a', 0);
    stage.resident('b', 1000);
    stage.queue('a', 2000);
    stage.run(2000);
    stage.queue('c', 3000);

    assert.deepEqual(stage.run(4000), ['swap c for b', 'wait']);
  });

  test('the least recently used idle one leaves', () => {
    const stage = new Stage({ a: {}, b: {}, c: {} }, { memoryBudget: 2 });
    stage.resident('a', 0);
    stage.resident('b', 1000);
    stage.serve('a', 2000, 'anna');
    stage.queue('c', 3000);

    assert.deepEqual(stage.run(4000), ['swap c for b', 'wait']);
  });

  test('no more leave than have to', () => {
    const models = { small: {}, large: { memory: 3 }, target: { memory: 3 } };
    const stage = new Stage(models, { memoryBudget: 4 });
    stage.resident('small', 0);
    stage.resident('large', 1000);
    stage.queue('target', 2000);

    assert.deepEqual(stage.run(3000), ['swap target for large', 'wait']);
  });

  test('several leave when the target needs them all', () => {
    const models = { a: {}, b: {}, c: {}, target: { memory: 2 } };
    const stage = new Stage(models, { memoryBudget: 3 });
    for (const [at, model] of ['a', 'b', 'c'].entries()) stage.resident(model, at);
    stage.queue('target', 2000);

    assert.deepEqual(stage.run(3000), ['swap target for a for b', 'wait']);
  });

  test('when all are busy the gate closes for the one whose turn began first', () => {
    const stage = new Stage({ a: {}, b: {}, c: {} }, { memoryBudget: 2 });
    stage.resident('b', 0);
    stage.resident('a', 1);
    for (const model of ['a', 'b']) stage.queue(model, 1000);
    stage.run(1000);
    stage.queue('c', 2000);
    for (const model of ['a', 'b']) stage.queue(model, 200_000);

    const told = stage.run(200_000);

    assert.deepEqual(told, ['forward 4', 'wait']);
    assert.equal(stage.decide(200_000).why, '"b" still has work');
  });

  test('pinned ones stay', () => {
    const stage = new Stage({ embed: { pinned: true }, chat: {}, code: {} });
    stage.resident('chat', 1000);
    stage.queue('code', 2000);

    assert.deepEqual(stage.run(3000), ['swap code for chat', 'wait']);
  });
});

suite('a model with a ttl', () => {
  test('is unloaded when it has been idle for that long', () => {
    const stage = new Stage({ chat: { ttlMs: 5000 } });
    stage.resident('chat', 1000);

    const before = stage.run(1000);
    const decision = stage.decide(6000);

    assert.deepEqual(before, ['wait until 6000']);
    const why = '"chat" was idle for its ttl';
    assert.deepEqual(decision, { kind: 'unload', model: 'chat', why });
  });

  test('stays while it works, and the ttl begins anew', () => {
    const stage = new Stage({ chat: { ttlMs: 5000 } });
    stage.resident('chat', 1000);
    stage.queue('chat', 2000);
    const during = stage.run(2000);
    stage.finish('chat', 60_000);

    const after = stage.run(60_000);

    assert.deepEqual(during, ['forward 1', 'wait']);
    assert.deepEqual(after, ['wait until 65000']);
  });

  test('stays for ever if it is pinned', () => {
    const stage = new Stage({ embed: { pinned: true, ttlMs: 5000 } });

    assert.deepEqual(stage.run(1_000_000), ['wait']);
  });

  test('is not unloaded during a swap, but after it', () => {
    const stage = new Stage({ chat: { ttlMs: 5000 }, code: {} }, { memoryBudget: 2 });
    stage.resident('chat', 0);
    stage.queue('code', 4000);
    stage.run(4000);
    const during = stage.run(9000);
    stage.swapEnded('ok', 24_000);

    const after = stage.run(24_000);

    assert.deepEqual(during, ['wait']);
    assert.deepEqual(after, ['forward 1', 'unload chat', 'wait']);
  });

  test('is not unloaded while its health is asked', () => {
    const stage = new Stage({ chat: { ttlMs: 5000 } });
    stage.resident('chat', 0);
    stage.happen({ kind: 'probeBegan', model: 'chat' }, 4900);
    const during = stage.run(5000);
    stage.probeEnded('chat', true, 5100);

    const after = stage.run(5100);

    assert.deepEqual(during, ['wait']);
    assert.deepEqual(after, ['unload chat', 'wait']);
  });

  test('is tried again after another ttl when unloading fails', () => {
    const stage = new Stage({ chat: { ttlMs: 5000 } });
    stage.resident('chat', 0);
    stage.run(5000);
    stage.happen({ kind: 'unloadEnded', ok: false }, 6000);
    stage.probeEnded('chat', true, 6100);

    assert.deepEqual(stage.run(6100), ['wait until 11000']);
  });

  test('takes nobody after an unload that failed before its health was asked', () => {
    const stage = new Stage({ chat: { ttlMs: 5000 } });
    stage.resident('chat', 0);
    stage.run(5000);
    stage.queue('chat', 5500);
    stage.happen({ kind: 'unloadEnded', ok: false }, 6000);
    const before = stage.run(6000);
    stage.probeEnded('chat', false, 6100);

    assert.deepEqual(before, ['wait']);
    assert.deepEqual(stage.run(6100), ['swap chat for chat', 'wait']);
  });

  test('is loaded again for whoever comes while it is unloaded', () => {
    const stage = new Stage({ chat: { ttlMs: 5000 } });
    stage.resident('chat', 0);
    stage.run(5000);
    stage.queue('chat', 5500);
    const during = stage.run(5500);
    stage.happen({ kind: 'unloadEnded', ok: true }, 6000);

    const after = stage.run(6000);

    assert.deepEqual(during, ['wait']);
    assert.deepEqual(after, ['swap chat', 'wait']);
  });
});
