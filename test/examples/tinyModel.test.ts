import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { makeTinyModel } from '../../src/examples/tiny/tinyModel.ts';

test('a tiny model has the same bytes wherever it is made', () => {
  const hashes = [makeTinyModel('chat'), makeTinyModel('embed')].map(hash);

  assert.deepEqual(hashes, [
    '3a1fa4694f9a552e1023fb57f4250b584edddc1bdfe55db712c1ccdcb3054700',
    'd6edda974a2b02c4ce5a8c09552502918eae059dc2fedc66ea0a58b9b3dadb8d',
  ]);
});

test('another seed makes another tiny model', () => {
  const [first, second] = [1, 2].map((seed) => hash(makeTinyModel('chat', { seed })));

  assert.notEqual(first, second);
});

test('a width that llama-server cannot load is refused', () => {
  assert.throws(() => makeTinyModel('chat', { embeddingLength: 100 }), RangeError);
});

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
