import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Stage } from '../stage.ts';

suite('a model whose server is found dead', () => {
  test('is unloaded and loaded again for those that wait, for its process may hang', () => {
    const stage = residentChat();
    stage.queue('chat', 1000);

    const told = findDead(stage, 1000);

    assert.deepEqual(told, ['swap chat for chat', 'wait']);
  });

  test('is the reason that is given for loading it again', () => {
    const stage = residentChat();
    stage.queue('chat', 1000);
    stage.happen({ kind: 'probeBegan', model: 'chat' }, 1000);
    stage.probeEnded('chat', false, 1000);

    assert.equal(stage.decide(1000).why, 'the server of "chat" died');
  });

  test('is unloaded by the retry, too, when the script that was to do so has failed', () => {
    const stage = residentChat();
    stage.queue('chat', 1000);
    findDead(stage, 1000);
    stage.swapEnded('script_failed', 2000);

    assert.deepEqual(stage.run(2000), ['swap chat for chat', 'wait']);
  });

  test('is not loaded as long as requests run on it', () => {
    const stage = residentChat();
    stage.queue('chat', 0);
    stage.run(0);
    stage.queue('chat', 1000);
    const during = findDead(stage, 1000);
    stage.happen(failed(), 9000);

    const after = stage.run(9000);

    assert.deepEqual(during, ['wait']);
    assert.deepEqual(after, ['swap chat for chat', 'wait']);
  });

  test('keeps its memory as long as requests run on it', () => {
    const stage = residentChat();
    stage.queue('chat', 0);
    stage.run(0);
    stage.queue('code', 100);
    findDead(stage, 1000);
    const during = stage.decide(3_600_000);
    stage.happen(failed(), 3_600_000);

    const after = stage.run(3_600_000);

    const why = '"code" does not fit until another has ended';
    assert.deepEqual(during, { kind: 'wait', until: null, blockedBy: [], why });
    assert.deepEqual(after, ['swap code for chat', 'wait']);
  });

  test('takes no further requests', () => {
    const stage = residentChat();
    stage.queue('chat', 0);
    stage.run(0);
    findDead(stage, 1000);
    stage.queue('chat', 2000);

    assert.deepEqual(stage.run(2000), ['wait']);
  });

  test('for the second time without an answer in between is refused for a while', () => {
    const stage = residentChat();
    stage.queue('chat', 0);
    findDead(stage, 1000);
    stage.swapEnded('ok', 21_000);
    findDead(stage, 21_100);
    stage.probeEnded('chat', false, 21_200);

    assert.deepEqual(stage.run(21_200), ['reject 1: swap_failed', 'wait']);
  });

  test('for the second time is loaded again if it has answered in between', () => {
    const stage = residentChat();
    stage.queue('chat', 0);
    findDead(stage, 1000);
    stage.swapEnded('ok', 21_000);
    stage.run(21_000);
    stage.finish('chat', 22_000);
    stage.queue('chat', 23_000);

    assert.deepEqual(findDead(stage, 23_000), ['swap chat for chat', 'wait']);
  });

  test('stays resident if it is pinned, for nobody else loads it', () => {
    const stage = new Stage({ embed: { pinned: true } });
    stage.queue('embed', 0);
    stage.happen({ kind: 'probeBegan', model: 'embed' }, 0);
    stage.probeEnded('embed', false, 100);

    assert.deepEqual(stage.run(100), ['forward 1', 'wait']);
  });
});

suite('a model whose health is being asked', () => {
  test('goes on when it is healthy', () => {
    const stage = residentChat();
    stage.queue('chat', 1000);
    stage.happen({ kind: 'probeBegan', model: 'chat' }, 1000);
    stage.probeEnded('chat', true, 1100);

    assert.deepEqual(stage.run(1100), ['forward 1', 'wait']);
  });

  test('is not unloaded for others meanwhile', () => {
    const stage = residentChat();
    stage.happen({ kind: 'probeBegan', model: 'chat' }, 1000);
    stage.queue('code', 1000);
    const during = stage.run(5000);
    stage.probeEnded('chat', true, 6000);

    const after = stage.run(6000);

    assert.deepEqual(during, ['wait']);
    assert.deepEqual(after, ['swap code for chat', 'wait']);
  });
});

function residentChat(): Stage {
  const stage = new Stage({ chat: {}, code: {} });
  stage.resident('chat');
  return stage;
}

function findDead(stage: Stage, at: number): string[] {
  stage.happen({ kind: 'probeBegan', model: 'chat' }, at);
  stage.probeEnded('chat', false, at);
  return stage.run(at);
}

function failed() {
  const ending = { reply: 'plain', hasServed: false, mayGoOn: false } as const;
  return { kind: 'finished', model: 'chat', caller: 'caller1', ...ending } as const;
}
