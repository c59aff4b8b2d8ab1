import { test } from 'node:test';
import { assertNothingShrinks } from './longRun.ts';

test('in 600 swaps and 10,000 requests no counter and no histogram ever goes down', (t) =>
  assertNothingShrinks(t, 600));
