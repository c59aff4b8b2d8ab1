import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { expectedSwapMs, lingerMs, overdueAt, turnMs } from '../../../src/core/policy/costs.ts';
import { Stage } from './stage.ts';

suite('the time that a swap is expected to take', () => {
  test('is 20 s before any was measured', () => {
    const stage = new Stage({ chat: {} });

    assert.equal(expectedSwapMs(stage.state, stage.model('chat')), 20_000);
  });

  test('is the mean of the others before its own was measured', () => {
    const stage = new Stage({ chat: {}, code: {}, big: {} });
    stage.measured('code', 10_000);
    stage.measured('big', 40_000);

    assert.equal(expectedSwapMs(stage.state, stage.model('chat')), 25_000);
  });

  test('is a mean in which the newest counts half', () => {
    const stage = new Stage({ chat: {} });
    for (const ms of [10_000, 20_000, 30_000]) {
      stage.happen({ kind: 'swapBegan', load: 'chat', unload: [] }, 0);
      stage.swapEnded('ok', 0, ms);
    }

    assert.equal(expectedSwapMs(stage.state, stage.model('chat')), 22_500);
  });

  test('does not learn from swaps that failed', () => {
    const stage = new Stage({ chat: {} });
    stage.happen({ kind: 'swapBegan', load: 'chat', unload: [] }, 0);
    stage.swapEnded('timeout', 0, 180_000);

    assert.equal(expectedSwapMs(stage.state, stage.model('chat')), 20_000);
  });
});

suite('a turn', () => {
  test('is twice there and back', () => {
    assert.equal(turnOf(12_000, 25_000), 74_000);
  });

  test('is half a minute at least', () => {
    assert.equal(turnOf(1000, 1000), 30_000);
  });

  test('is five minutes at most', () => {
    assert.equal(turnOf(100_000, 100_000), 300_000);
  });

  test('is half as long when a third of the time may go into swaps', () => {
    const stage = new Stage({ chat: {}, code: {} }, { settings: { swapShare: 1 / 3 } });

    const ms = turnMs(stage.state, stage.model('chat'), stage.model('code'));

    assert.equal(Math.round(ms), 40_000);
  });
});

test('a request is overdue after twice the swap to its model', () => {
  const stage = new Stage({ chat: {} });
  stage.measured('chat', 25_000);
  stage.queue('chat', 1000);
  const [request] = stage.model('chat').waiting;

  const at = request && overdueAt(stage.state, request);

  assert.equal(at, 51_000);
});

suite('the time that an idle model is held', () => {
  test('is the one that would have cost least on the gaps seen', () => {
    assert.equal(heldFor([2000, 4000, 60_000]), 4000 * 1.25 + 50);
  });

  test('is none when callers hardly ever come back in time', () => {
    assert.equal(heldFor([9000, 60_000, 60_000, 60_000, 60_000]), 0);
  });

  test('is none when callers never come back', () => {
    assert.equal(heldFor([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]), 0);
  });

  test('is none when callers come back, but only after more than half a swap', () => {
    assert.equal(heldFor([15_000, 15_000]), 0);
  });

  test('is half a swap at most', () => {
    assert.equal(heldFor([9500, 9500]), 10_000);
  });

  test('is learned for plain replies and tool calls apart', () => {
    const stage = new Stage({ chat: {} });
    stage.model('chat').gaps.toolCall.push(1000, 1000);

    assert.equal(lingerMs(stage.state, stage.model('chat'), 'plain'), 0);
    assert.equal(lingerMs(stage.state, stage.model('chat'), 'toolCall'), 1300);
  });
});

function turnOf(chatMs: number, codeMs: number): number {
  const stage = new Stage({ chat: {}, code: {} });
  stage.measured('chat', chatMs);
  stage.measured('code', codeMs);
  return turnMs(stage.state, stage.model('chat'), stage.model('code'));
}

/** How long a model that takes 20 s to load is held after plain replies. */
function heldFor(gapsMs: readonly number[]): number {
  const stage = new Stage({ chat: {} });
  stage.model('chat').gaps.plain.push(...gapsMs);
  return lingerMs(stage.state, stage.model('chat'), 'plain');
}
