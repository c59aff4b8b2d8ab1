import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestRecord } from '../../src/core/record.ts';
import { SwapTurns } from '../../src/core/swapTurns.ts';
import { requestRecord, swapRecord, usageOf } from '../support/records.ts';

test('after a swap the first prompts of those who come back are summed, without what was cached', () => {
  const turns = new SwapTurns();
  for (const caller of ['anna', 'ben']) turns.requestClosed(asked(caller, 1));
  const swap = turns.swapClosed(swapRecord());

  const before = swap.promptTokensAfter;
  turns.requestClosed(asked('anna', 100, { cached: 30 }));
  turns.requestClosed(asked('anna', 5000));
  turns.requestClosed(asked('ben', 200));

  assert.equal(before, null);
  assert.equal(swap.promptTokensAfter, 70 + 200);
});

test('who uses a model for the first time does not come back, nor with its second request', () => {
  const turns = new SwapTurns();
  const first = turns.swapClosed(swapRecord());
  turns.requestClosed(asked('anna', 100));
  turns.requestClosed(asked('anna', 100));
  turns.swapClosed(swapRecord({ from: ['qwen'], to: 'gemma' }));
  const second = turns.swapClosed(swapRecord());

  turns.requestClosed(asked('anna', 7));
  turns.requestClosed({ ...asked('ben', 1000), model: 'gemma' });

  assert.deepEqual([first.promptTokensAfter, second.promptTokensAfter], [null, 7]);
});

test('of several requests at once the one that was sent first counts, whichever ends first', () => {
  const turns = new SwapTurns();
  turns.requestClosed(asked('anna', 1));
  const swap = turns.swapClosed(swapRecord());

  turns.requestClosed({ ...asked('anna', 500), dispatchedAt: 3002 });
  turns.requestClosed({ ...asked('anna', 20), id: 4, dispatchedAt: 3001 });
  turns.requestClosed({ ...asked('anna', 30), id: 3, dispatchedAt: 3001 });
  turns.requestClosed({ ...asked('anna', 900), dispatchedAt: 3003 });

  assert.equal(swap.promptTokensAfter, 30);
});

test('the turn ends when the model makes room for another, not when another comes beside it', () => {
  const turns = new SwapTurns();
  for (const caller of ['anna', 'ben', 'eve']) turns.requestClosed(asked(caller, 1));
  const swap = turns.swapClosed(swapRecord());

  turns.requestClosed(asked('anna', 10));
  turns.swapClosed(swapRecord({ from: ['phi'], to: 'gemma' }));
  turns.requestClosed(asked('ben', 20));
  turns.swapClosed(swapRecord({ from: ['qwen'], to: 'phi', outcome: 'timeout' }));
  turns.requestClosed(asked('eve', 40));

  assert.equal(swap.promptTokensAfter, 30);
});

test('what tells no tokens, has no prompt or was never sent leaves it unknown', () => {
  const turns = new SwapTurns();
  for (const caller of ['anna', 'ben', 'eve']) turns.requestClosed(asked(caller, 1));
  const failed = turns.swapClosed(swapRecord({ outcome: 'script_failed' }));
  turns.requestClosed(asked('anna', 9));
  const swap = turns.swapClosed(swapRecord());

  turns.requestClosed(requestRecord({ caller: 'anna' }));
  turns.requestClosed({ ...asked('ben', 9), operation: null });
  turns.requestClosed({ ...asked('eve', 9), dispatchedAt: null });
  turns.requestClosed({ ...asked('eve', 9), model: null });

  assert.deepEqual([failed.promptTokensAfter, swap.promptTokensAfter], [null, null]);
});

test('of 10,000 callers those who were longest away count as new again', () => {
  const turns = new SwapTurns();
  for (let name = 1; name <= 10_000; name++) turns.requestClosed(asked(`${name}`, 1));
  const swap = turns.swapClosed(swapRecord());

  turns.requestClosed(asked('1', 10));
  turns.requestClosed(asked('10000', 7));

  assert.equal(swap.promptTokensAfter, 7);
});

function asked(caller: string, inputTokens: number, { cached = 0 } = {}): RequestRecord {
  return requestRecord({ caller, usage: usageOf({ inputTokens, cachedTokens: cached }) });
}
