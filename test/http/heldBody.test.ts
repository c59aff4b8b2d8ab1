import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyMemory } from '../../src/http/body/bodyMemory.ts';
import { HeldBody } from '../../src/http/body/heldBody.ts';

/** Sends a text in chunks of these lengths; gives it, what the reader is shown, and the memory. */
function hold(lengths: readonly number[]) {
  const memory = new BodyMemory(0);
  const body = new HeldBody(memory);
  const sent = lengths.map((length, index) => Buffer.alloc(length, `${index % 10}`));
  const shown = sent.flatMap((chunk) => body.push(chunk));
  return { memory, body, whole: Buffer.concat(sent), shown: [...shown, ...body.settle()] };
}

for (const [what, lengths, most] of [
  ['a hundred thousand chunks of one byte are', Array.from({ length: 100_000 }, () => 1), 400],
  [
    'large and small chunks in turn are',
    Array.from({ length: 100 }, (_, at) => (at % 2 ? 1000 : 3)),
    51,
  ],
  ['one byte is', [1], 1],
  ['large chunks are', [256, 70_000, 300], 3],
] as const) {
  test(`${what} held, and shown, in few pieces, and nothing is lost`, () => {
    const { memory, body, whole, shown } = hold(lengths);

    assert.equal(memory.heldBytes, whole.length);
    const drained = [...body.drain()];
    assert.deepEqual(Buffer.concat(drained), whole);
    assert.deepEqual(Buffer.concat(shown), whole);
    assert.ok(shown.length <= most && drained.length <= most, `${shown.length} pieces`);
    assert.equal(memory.heldBytes, 0);
  });
}

test('what is held of a body is given back once, however often it is dropped, also half way', () => {
  const { memory, body } = hold([1000, 1000, 5]);
  const other = new HeldBody(memory);
  other.push(Buffer.alloc(7));

  body.drain().next();
  assert.equal(memory.heldBytes, 1012);
  body.drop();
  body.drop();

  assert.equal(memory.heldBytes, 7);
  assert.deepEqual([...body.drain()], []);
});

test('what came last, and was not put together yet, is dropped, too', () => {
  const memory = new BodyMemory(0);
  const body = new HeldBody(memory);
  body.push(Buffer.alloc(5));

  body.drop();

  assert.equal(memory.heldBytes, 0);
  assert.deepEqual(body.settle(), []);
});
