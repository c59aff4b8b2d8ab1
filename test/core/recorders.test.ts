import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Recorder } from '../../src/core/record.ts';
import { Recorders } from '../../src/core/recorders.ts';

test('each recorder is told of everything, also when one before it throws', () => {
  const told: string[] = [];
  const errors: unknown[] = [];
  const bug = new Error('a bug');
  const note = (what: string) => (): void => void told.push(what);
  const noting: Recorder = {
    requestClosed: note('request'),
    swapClosed: note('swap'),
    unloadFailed: note('unload'),
    healthSeen: note('health'),
  };
  const broken: Recorder = {
    ...noting,
    healthSeen() {
      throw bug;
    },
  };
  const recorders = new Recorders([broken, noting], (error) => errors.push(error));

  recorders.healthSeen('qwen', true);
  recorders.unloadFailed('qwen', 'no', 0);

  assert.deepEqual(told, ['health', 'unload', 'unload']);
  assert.deepEqual(errors, [bug]);
});
