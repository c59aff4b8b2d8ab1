import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ReplyKind } from '../../../../src/core/policy/state.ts';
import { Stage } from '../stage.ts';

suite('before it leaves, an idle model is held', () => {
  test('a blink for the rest of a burst: a fortieth of the swap', () => {
    const stage = idleChat();
    stage.measured('code', 10_000);
    stage.queue('code', 1000);

    const during = stage.decide(1249);
    const after = stage.run(1250);

    const why = 'the rest of a burst may follow';
    assert.deepEqual(during, { kind: 'wait', until: 1250, blockedBy: [], why });
    assert.deepEqual(after, ['swap code for chat', 'wait']);
  });

  test('but a tenth of a second at least, for a burst takes its time however quick the swap', () => {
    const stage = idleChat();
    stage.measured('code', 1000);
    stage.queue('code', 1000);

    assert.deepEqual(stage.run(1000), ['wait until 1100']);
  });

  test('but no longer than a second for that', () => {
    const stage = idleChat();
    stage.measured('code', 600_000);
    stage.queue('code', 1000);

    assert.deepEqual(stage.run(1000), ['wait until 2000']);
  });

  test('and what comes meanwhile is served', () => {
    const stage = idleChat();
    stage.queue('code', 1000);
    stage.queue('chat', 1100);

    assert.deepEqual(stage.run(1100), ['forward 2', 'wait']);
  });

  test('half a swap at most after a tool call, before anything was learned', () => {
    const stage = idleChat();
    stage.measured('chat', 12_000);
    stage.serve('chat', 1000, 'agent', 'toolCall');
    stage.queue('code', 1000);

    const decision = stage.decide(1500);

    const why = 'a caller of "chat" usually comes back by now';
    assert.deepEqual(decision, { kind: 'wait', until: 7000, blockedBy: [], why });
  });

  test('ten seconds at most after a tool call, before anything was learned', () => {
    const stage = idleChat();
    stage.measured('chat', 60_000);
    stage.serve('chat', 1000, 'agent', 'toolCall');
    stage.queue('code', 1000);

    assert.deepEqual(stage.run(1500), ['wait until 11000']);
  });

  test('not at all after a plain reply, before anything was learned', () => {
    const stage = idleChat();
    stage.serve('chat', 1000, 'person');
    stage.queue('code', 1000);

    assert.deepEqual(stage.run(1500), ['swap code for chat', 'wait']);
  });

  test('for callers that usually come back: a quarter longer than they take', () => {
    const stage = idleChat();
    comeBackAfter(stage, [4000, 4000, 4000]);
    stage.queue('code', 20_000);

    const decision = stage.decide(20_500);

    const why = 'a caller of "chat" usually comes back by now';
    assert.deepEqual(decision, { kind: 'wait', until: 12_000 + 5050 + 8000, blockedBy: [], why });
  });

  test('no longer once the caller has not come back in the usual time', () => {
    const stage = idleChat();
    comeBackAfter(stage, [4000, 4000, 4000]);
    stage.queue('code', 20_000);

    assert.deepEqual(stage.run(25_050), ['swap code for chat', 'wait']);
  });

  test('not for a caller that has asked for another model since', () => {
    const stage = idleChat();
    comeBackAfter(stage, [4000, 4000, 4000]);
    stage.queue('code', 20_000, 'person');

    assert.deepEqual(stage.run(20_500), ['swap code for chat', 'wait']);
  });

  test('not beyond its turn', () => {
    const stage = idleChat();
    stage.measured('chat', 10_000);
    stage.measured('code', 10_000);
    stage.queue('code', 35_000);
    stage.serve('chat', 39_000, 'agent', 'toolCall');

    assert.deepEqual(stage.run(39_000), ['wait until 40000']);
  });

  test('not for callers when lingering is switched off', () => {
    const stage = new Stage({ chat: {}, code: {} }, { settings: { linger: 0 } });
    stage.resident('chat');
    comeBackAfter(stage, [4000, 4000, 4000]);
    stage.queue('code', 20_000);

    assert.deepEqual(stage.run(20_500), ['swap code for chat', 'wait']);
  });
});

suite('that a caller has not come back is learned', () => {
  test('when it asks for another model', () => {
    const stage = idleChat();
    stage.serve('chat', 1000, 'person');

    stage.queue('code', 2000, 'person');

    assert.deepEqual(stage.model('chat').gaps.plain, [Number.POSITIVE_INFINITY]);
  });

  test('when the model leaves for the second time without it', () => {
    const stage = idleChat();
    stage.serve('chat', 1000, 'person');
    swapBy(stage, 'code', 2000);
    swapBy(stage, 'chat', 50_000);
    const once = [...stage.model('chat').gaps.plain];

    swapBy(stage, 'code', 100_000);

    assert.deepEqual(once, []);
    assert.deepEqual(stage.model('chat').gaps.plain, [Number.POSITIVE_INFINITY]);
  });

  test('for the newest sixteen gaps only', () => {
    const stage = idleChat();

    comeBackAfter(
      stage,
      Array.from({ length: 20 }, (_, index) => 1000 + index),
    );

    assert.equal(stage.model('chat').gaps.plain.length, 16);
    assert.equal(stage.model('chat').gaps.plain[0], 1004);
  });
});

test('of the callers that are away, only the newest are remembered', () => {
  const stage = idleChat();

  for (let caller = 1; caller <= 70; caller += 1) stage.serve('chat', 1000, `caller${caller}`);

  const { away } = stage.model('chat');
  assert.equal(away.size, 64);
  assert.equal(away.has('caller6'), false);
  assert.equal(away.has('caller7'), true);
});

function idleChat(): Stage {
  const stage = new Stage({ chat: {}, code: {} });
  stage.resident('chat');
  return stage;
}

/** A person gets a reply at 8 s and asks again after each of the gaps; the last reply comes at once. */
function comeBackAfter(stage: Stage, gapsMs: readonly number[], reply: ReplyKind = 'plain'): void {
  let at = 8000;
  stage.serve('chat', at, 'person', reply);
  for (const gapMs of gapsMs) {
    at += gapMs;
    stage.serve('chat', at, 'person', reply);
  }
}

function swapBy(stage: Stage, model: string, at: number): void {
  const unload = model === 'chat' ? ['code'] : ['chat'];
  stage.happen({ kind: 'swapBegan', load: model, unload }, at);
  stage.swapEnded('ok', at + 20_000);
}
