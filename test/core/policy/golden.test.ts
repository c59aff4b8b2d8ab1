import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { simulate } from '../../bench/sim/engine.ts';
import { fifo, llamaSwap, originalJano } from '../../bench/sim/policies.ts';
import { turn } from '../../bench/sim/turn.ts';
import { outcomeOf, readGolden } from './goldenTrace.ts';

const names = [
  'readme-chat-loaded',
  'readme-code-loaded',
  'burst-30x3-2s',
  'agents-1+1',
  'subagents',
  'aider-1',
  'starve',
  'same-model',
];
const policies = { turn, fifo, originalJano, llamaSwap };

suite('the simulator on recorded traces', () => {
  for (const name of names) {
    for (const key of ['turn', 'fifo', 'originalJano', 'llamaSwap'] as const) {
      test(`${name}: ${key} makes the swaps and waits that the study recorded`, () => {
        const { trace, expected } = readGolden(name);

        const outcome = outcomeOf(simulate(trace, policies[key]));

        assert.deepEqual(outcome, expected[key]);
      });
    }
  }
});
