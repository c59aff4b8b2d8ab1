import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainWaiting } from '../../../src/core/policy/explain.ts';
import { Stage } from './stage.ts';

/** Code is being loaded since `beganAt` for one request; an earlier swap to it took 20 s. */
function loadingCode(beganAt: number): Stage {
  const stage = new Stage({ chat: {}, code: {} });
  stage.resident('chat');
  stage.model('code').swapMs = 20_000;
  stage.queue('code', beganAt - 5000);
  stage.run(beganAt);
  return stage;
}

test('who waits for a load is told what is left of it by the swaps so far', () => {
  const stage = loadingCode(10_000);

  const [waiting] = explainWaiting(stage.state, 10_000, 18_000);

  assert.equal(waiting?.expectedMs, 12_000);
  assert.equal(waiting?.why, '"code" is being loaded, for 8.0 s so far');
});

test('a load that takes longer than the swaps so far has no expected end', () => {
  const stage = loadingCode(10_000);

  const [waiting] = explainWaiting(stage.state, 10_000, 31_000);

  assert.equal(waiting?.expectedMs, null);
});
