import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Stage } from '../stage.ts';

/** A turn of two models that take 10 and 20 s to load: twice there and back. */
const TURN_MS = 60_000;
const GRACE_MS = TURN_MS / 8;

suite('while others wait, a model takes newcomers', () => {
  test('until its turn is over', () => {
    const stage = busyChat();
    stage.queue('code', 1000);
    stage.queue('chat', TURN_MS);
    const inTime = stage.run(TURN_MS);
    stage.queue('chat', TURN_MS + 1);

    const late = stage.run(TURN_MS + 1);

    assert.deepEqual(inTime, ['forward 3', 'wait']);
    assert.deepEqual(late, ['wait']);
  });

  test('and then leaves as soon as it has ended what runs', () => {
    const stage = busyChat();
    stage.queue('code', 1000);
    stage.queue('chat', TURN_MS + 1);
    stage.finish('chat', TURN_MS + 2);

    const decision = stage.decide(TURN_MS + 2);

    assert.equal(decision.kind === 'swap' && decision.load, 'code');
    assert.equal(decision.why, 'a request for "code" has waited long enough');
  });

  test('of which those that came in time are served even later', () => {
    const stage = busyChat();
    stage.queue('code', 1000);
    for (const caller of ['a', 'b', 'c', 'd', 'e']) stage.queue('chat', 2000, caller);
    stage.run(2000);
    stage.finish('chat', TURN_MS + 9000);

    const told = stage.run(TURN_MS + 9000);

    assert.deepEqual(told, ['forward 6', 'wait']);
  });

  test('of which those older than any other that waits are served whatever the time', () => {
    const stage = busyChat();
    for (const caller of ['a', 'b', 'c', 'd']) stage.queue('chat', TURN_MS + 5000, caller);
    stage.queue('code', TURN_MS + 5000);
    stage.run(TURN_MS + 5000);
    stage.finish('chat', 2 * TURN_MS);

    const told = stage.run(2 * TURN_MS);

    assert.deepEqual(told, ['forward 5', 'wait']);
  });

  test('for a short grace when its turn was over before anybody else came', () => {
    const stage = busyChat();
    const askedAt = 10 * TURN_MS;
    stage.queue('code', askedAt);
    stage.queue('chat', askedAt + GRACE_MS);
    const inTime = stage.run(askedAt + GRACE_MS);
    stage.queue('chat', askedAt + GRACE_MS + 1);

    const late = stage.run(askedAt + GRACE_MS + 1);

    assert.deepEqual(inTime, ['forward 3', 'wait']);
    assert.deepEqual(late, ['wait']);
  });

  test('without end when nobody needs its memory', () => {
    const stage = busyChat({ memoryBudget: 2 });
    stage.queue('code', 1000);
    const swap = stage.run(1000);
    stage.queue('chat', 20 * TURN_MS);

    const told = stage.run(20 * TURN_MS);

    assert.deepEqual(swap, ['swap code', 'wait']);
    assert.deepEqual(told, ['forward 3', 'wait']);
  });
});

suite('the reason of a swap', () => {
  test('is that the turn is over when requests are left behind', () => {
    const stage = new Stage({ chat: {}, code: {} }, { settings: { swapShare: 0.5 } });
    stage.resident('chat', 0);
    stage.measured('code', 100_000);
    stage.queue('code', 100_000);
    stage.queue('chat', 130_000);

    const decision = stage.decide(130_000);

    assert.equal(decision.kind === 'swap' && decision.load, 'code');
    assert.equal(decision.why, 'the turn of "chat" is over');
  });
});

/** Chat is resident since 0 and runs a request. */
function busyChat(options: { memoryBudget?: number } = {}): Stage {
  const stage = new Stage({ chat: {}, code: {} }, options);
  stage.resident('chat', 0);
  stage.measured('chat', 10_000);
  stage.measured('code', 20_000);
  stage.queue('chat', 0);
  stage.run(0);
  return stage;
}
