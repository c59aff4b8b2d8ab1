import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineWatch } from '../../../src/core/silence/lineWatch.ts';

/** Which of the pieces count. */
function listen(pieces: readonly string[]): boolean[] {
  const watch = new LineWatch();
  return pieces.map((piece) => watch.push(new TextEncoder().encode(piece)));
}

test('events and lines of JSON count, comments and empty lines do not', () => {
  assert.deepEqual(listen(['data: 1\n\n', ': ping\n\n', ':\r\n\r\n', '\n', '{"a":1}\n', ':ok\r']), [
    true,
    false,
    false,
    false,
    true,
    false,
  ]);
});

test('an event counts in each of its pieces, a comment in none', () => {
  assert.deepEqual(listen(['d', 'ata: ', ':', '1', '\n', ':', ' still', ' here: 1', '\n', 'x']), [
    true,
    true,
    true,
    true,
    false,
    false,
    false,
    false,
    false,
    true,
  ]);
});

test('an event counts between two comments in one piece', () => {
  assert.deepEqual(listen([': a\n\ndata: 1\n\n: b\n\n', ': a\n\n: b\n\n']), [true, false]);
});
