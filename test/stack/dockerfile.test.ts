import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

// What it comes to when it is built is in dockerfile.slow.ts.
const text = readFileSync(join(import.meta.dirname, '../../Dockerfile'), 'utf8');

test('the image is built in stages, on a slim Debian of a Node that fits', () => {
  const stages = [...text.matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)].map(([, from, name]) => [
    from,
    name,
  ]);

  assert.deepEqual(stages, [
    ['node:24-trixie-slim', 'node'],
    ['node', 'packages'],
    ['node', undefined],
  ]);
});

test('the image says what it is, in the labels of the OCI', () => {
  const labels = [...text.matchAll(/org\.opencontainers\.image\.(\w+)="[^"]+"/g)];

  assert.deepEqual(
    labels.map(([, name]) => name),
    ['title', 'description', 'licenses'],
  );
});
