import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownIds } from '../../src/core/knownIds.ts';

test('an id belongs to the model that it was last seen with', () => {
  const ids = new KnownIds(2);
  ids.remember('a', 'chat');
  ids.remember('a', 'code');

  assert.equal(ids.modelOf('a'), 'code');
  assert.equal(ids.modelOf('b'), undefined);
});

test('of more ids than are kept the one not seen for longest is forgotten', () => {
  const ids = new KnownIds(2);
  for (const id of ['a', 'b', 'a', 'c']) ids.remember(id, 'chat');

  assert.deepEqual(
    ['a', 'b', 'c'].map((id) => ids.modelOf(id)),
    ['chat', undefined, 'chat'],
  );
});

test('what is no id is not kept: nothing, and more than any model makes', () => {
  const ids = new KnownIds(2);
  ids.remember('', 'chat');
  ids.remember('x'.repeat(257), 'chat');
  ids.remember('x'.repeat(256), 'chat');

  assert.equal(ids.modelOf(''), undefined);
  assert.equal(ids.modelOf('x'.repeat(257)), undefined);
  assert.equal(ids.modelOf('x'.repeat(256)), 'chat');
});
