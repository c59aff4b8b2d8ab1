import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Stage } from '../stage.ts';

suite('what a failed swap may have left in memory', () => {
  test('is unloaded by the retry', () => {
    const stage = chatLeavingForCode();
    stage.swapEnded('script_failed', 5000);

    assert.deepEqual(stage.run(5000), ['swap code for chat', 'wait']);
  });

  test('is unloaded by the next swap that needs the room', () => {
    const stage = chatLeavingForCode();
    stage.happen({ kind: 'left', id: 1, model: 'code' }, 700);
    stage.swapEnded('timeout', 5000);
    stage.queue('big', 6000);

    assert.deepEqual(stage.run(6000), ['swap big for chat for code', 'wait']);
  });

  test('stays while there is room', () => {
    const stage = new Stage({ code: {}, big: {} }, { memoryBudget: 2 });
    stage.happen({ kind: 'swapBegan', load: 'code', unload: [] }, 0);
    stage.swapEnded('timeout', 5000);
    stage.queue('big', 6000);

    assert.deepEqual(stage.run(6000), ['swap big', 'wait']);
  });

  test('is forgotten once a swap has unloaded it', () => {
    const stage = chatLeavingForCode();
    stage.swapEnded('script_failed', 5000);
    stage.run(5000);
    stage.swapEnded('ok', 25_000);
    stage.run(25_000);
    stage.finish('code', 26_000);
    stage.queue('big', 27_000);

    assert.deepEqual(stage.run(28_000), ['swap big for code', 'wait']);
  });

  test('is still unloaded before it is loaded again if it was a dead server', () => {
    const stage = new Stage({ chat: {}, code: {} });
    stage.resident('chat');
    stage.happen({ kind: 'probeBegan', model: 'chat' }, 0);
    stage.probeEnded('chat', false, 0);
    stage.happen({ kind: 'swapBegan', load: 'code', unload: ['chat'] }, 1000);
    stage.swapEnded('timeout', 5000);
    stage.queue('chat', 6000);

    assert.deepEqual(stage.run(6000), ['swap chat for chat for code', 'wait']);
  });

  test('is named as the reason when nothing else has to leave', () => {
    const stage = new Stage({ chat: {}, code: {} });
    stage.happen({ kind: 'seenInDoubt', model: 'chat' }, 0);
    stage.queue('code', 10);

    const decision = stage.decide(2000);

    const why = '"code" is next, and "chat" may still be in memory';
    assert.deepEqual([decision.kind, decision.why], ['swap', why]);
  });

  test('is not taken for resident while a swap unloads it, even if it still answers', () => {
    const models = { a: {}, b: {}, target: { memory: 3 } };
    const stage = new Stage(models, { memoryBudget: 4 });
    for (const model of ['a', 'b']) stage.model(model).doubt = 'unasked';
    for (const model of ['target', 'b']) stage.queue(model, 0);
    const told = stage.run(0);
    stage.probeEnded('b', true, 100);

    assert.deepEqual(told, ['probe b', 'swap target for b', 'wait']);
    assert.equal(stage.model('b').presence, 'absent');
  });
});

/** Chat has been unloaded for request 1. */
function chatLeavingForCode(): Stage {
  const stage = new Stage({ chat: {}, code: {}, big: {} });
  stage.resident('chat');
  stage.queue('code', 0);
  stage.run(600);
  return stage;
}
