import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Stage } from '../stage.ts';

suite('with a queue timeout', () => {
  test('a request that has waited so long is rejected', () => {
    const stage = impatient();
    stage.queue('code', 1000);
    const before = stage.run(60_999);

    const decision = stage.decide(61_000);

    const why = 'the request has waited for "code" longer than queue.timeout (60 s)';
    const reason = 'queue_timeout';
    assert.deepEqual(before, ['wait until 61000']);
    assert.deepEqual(decision, { kind: 'reject', id: 2, model: 'code', reason, why });
  });

  test('the oldest is rejected first, and the others in their time', () => {
    const stage = impatient();
    stage.queue('big', 1000);
    stage.queue('code', 1000);
    stage.queue('code', 3000);

    const told = stage.run(61_000);

    assert.deepEqual(told, [
      'reject 2: queue_timeout',
      'reject 3: queue_timeout',
      'wait until 63000',
    ]);
  });

  test('a running request is not rejected', () => {
    const stage = impatient();

    assert.deepEqual(stage.run(3_600_000), ['wait']);
  });

  test('a request is rejected while its model is being loaded, too', () => {
    const stage = new Stage({ chat: {} }, { settings: { queueTimeoutMs: 60_000 } });
    stage.queue('chat', 0);
    const swap = stage.run(0);

    const told = stage.run(60_000);

    assert.deepEqual(swap, ['swap chat', 'wait until 60000']);
    assert.deepEqual(told, ['reject 1: queue_timeout', 'wait']);
  });
});

/** Request 1 runs on chat. */
function impatient(): Stage {
  const models = { chat: {}, code: {}, big: {} };
  const stage = new Stage(models, { settings: { queueTimeoutMs: 60_000 } });
  stage.resident('chat');
  stage.queue('chat', 0);
  stage.run(0);
  return stage;
}
