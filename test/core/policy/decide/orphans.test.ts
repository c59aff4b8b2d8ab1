import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { explainWaiting } from '../../../../src/core/policy/explain.ts';
import { Stage } from '../stage.ts';

suite('a slot whose caller left before its answer began', () => {
  test('is taken until the server says that it is idle', () => {
    const stage = abandoned();
    stage.queue('chat', 200);

    const before = stage.run(200);
    see(stage, 1, 300);
    const busy = stage.run(300);
    see(stage, 0, 400);
    const idle = stage.run(400);

    assert.deepEqual([before, busy], [['wait'], ['wait']]);
    assert.deepEqual(idle, ['forward 2', 'wait']);
  });

  test('is free when no more slots are at work than requests run', () => {
    const stage = abandoned({ parallel: 2 });
    stage.queue('chat', 200);
    stage.run(200);
    stage.queue('chat', 210);

    const both = stage.run(210);
    see(stage, 2, 300);
    const stillBoth = stage.run(300);
    see(stage, 1, 400);

    assert.deepEqual([both, stillBoth], [['wait'], ['wait']]);
    assert.deepEqual(stage.run(400), ['forward 3', 'wait']);
  });

  test('is free at once when the server does not tell, and so are all that follow', () => {
    const stage = abandoned();
    stage.queue('chat', 200);

    see(stage, null, 300);
    const next = stage.run(300);
    leaveEarly(stage, 400);
    stage.queue('chat', 500);

    assert.deepEqual(next, ['forward 2', 'wait']);
    assert.deepEqual(stage.run(500), ['forward 3', 'wait']);
  });

  test('counts again once the server was loaded anew, or found healthy after a doubt', () => {
    for (const comeBack of [loadAnew, proveHealthy]) {
      const stage = abandoned();
      see(stage, null, 300);

      comeBack(stage);
      stage.queue('chat', 90_000);
      stage.run(90_000);
      leaveEarly(stage, 90_100);

      assert.equal(stage.model('chat').orphans, 1);
    }
  });

  test('does not keep its model in memory', () => {
    const stage = abandoned();
    stage.queue('code', 200);

    assert.deepEqual(stage.run(1000), ['swap code for chat', 'wait']);
  });

  test('does not put off the ttl', () => {
    const stage = abandoned({ ttlMs: 5000 });

    assert.deepEqual(stage.run(5100), ['unload chat', 'wait']);
  });

  test('is forgotten when its model leaves memory, even if the unload fails', () => {
    const stage = abandoned({ ttlMs: 5000 });
    stage.run(5100);

    stage.happen({ kind: 'unloadEnded', ok: false }, 6000);

    assert.equal(stage.model('chat').orphans, 0);
  });

  test('is forgotten when its server is found dead', () => {
    const stage = abandoned();

    stage.happen({ kind: 'probeBegan', model: 'chat' }, 200);
    stage.probeEnded('chat', false, 300);

    assert.equal(stage.model('chat').orphans, 0);
  });
});

suite('who waits for such a slot', () => {
  test('is told so', () => {
    const stage = abandoned();
    stage.queue('chat', 200);

    const [waiting] = explainWaiting(stage.state, null, 300);

    assert.equal(
      waiting?.why,
      '"chat" is answering 0 of 1 requests at once and still works on one whose caller left',
    );
  });

  test('keeps the turn of its model until that is over, but no longer', () => {
    const stage = abandoned();
    stage.queue('chat', 200);
    stage.queue('code', 300);

    const during = stage.run(1000);
    const [, forCode] = explainWaiting(stage.state, null, 1000);
    const after = stage.run(80_000);

    assert.deepEqual(during, ['wait until 80000']);
    assert.match(forCode?.why ?? '', /^"chat" has its turn and gets a free slot soon/);
    assert.deepEqual(after, ['swap code for chat', 'wait']);
  });
});

/** Chat has one slot, in which it works for a caller that has left. */
function abandoned(settings: { parallel?: number; ttlMs?: number } = {}): Stage {
  const stage = new Stage({ chat: { parallel: 1, ...settings }, code: {} });
  stage.resident('chat');
  stage.queue('chat', 0, 'caller1');
  stage.run(0);
  leaveEarly(stage, 100);
  return stage;
}

function leaveEarly(stage: Stage, at: number): void {
  const ending = { reply: 'plain', hasServed: false, mayGoOn: true } as const;
  stage.happen({ kind: 'finished', model: 'chat', caller: 'caller1', ...ending }, at);
}

function see(stage: Stage, busy: number | null, at: number): void {
  stage.happen({ kind: 'slotsSeen', model: 'chat', busy }, at);
}

function loadAnew(stage: Stage): void {
  stage.queue('code', 1000);
  stage.run(2000);
  stage.swapEnded('ok', 22_000);
  stage.run(22_000);
  stage.finish('code', 23_000, 'caller2');
  stage.queue('chat', 24_000);
  stage.run(60_000);
  stage.swapEnded('ok', 80_000);
  stage.run(80_000);
  stage.finish('chat', 81_000, 'caller3');
}

function proveHealthy(stage: Stage): void {
  stage.happen({ kind: 'probeBegan', model: 'chat' }, 1000);
  stage.probeEnded('chat', true, 2000);
}
