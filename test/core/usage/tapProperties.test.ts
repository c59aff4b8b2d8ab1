import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { AnswerReader } from '../../../src/core/usage/answerReader.ts';
import { EventFraming } from '../../../src/core/usage/eventFraming.ts';
import { JsonFraming } from '../../../src/core/usage/jsonFraming.ts';
import { Tap } from '../../../src/core/usage/tap.ts';
import { Random } from '../../bench/sim/random.ts';
import { cutUp, mutateBytes } from '../../fuzz/byteMutation.ts';
import { measureFootprint } from '../../soak/footprint.ts';

const ROUNDS = 3000;

const captures = Object.values(
  z
    .record(z.string(), z.object({ type: z.string(), body: z.string() }))
    .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'captures.json'), 'utf8'))),
).filter(({ body }) => body.length < 6000);

const TOKENS = [
  '"usage":',
  '"timings":{',
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  ',',
  ':',
  'data:',
  '\n',
  '\r',
  '\n\n',
  '1e999',
  '-',
  'null',
  'error:',
  '"error":',
  '\u0000',
];

test('whatever an answer is made of, it reads the same however it comes, and nothing is thrown', () => {
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const random = new Random(seed);
    const { type, body } = random.pick(captures);
    const text = mutateBytes(random, Buffer.from(body).toString('latin1'), TOKENS);

    const whole = readPieces(type, [text]);
    assert.deepEqual(readPieces(type, cutUp(random, text)), whole, `seed ${seed}`);
    // What reads has no guard of its own.
    for (const framing of [
      new EventFraming(new AnswerReader()),
      new JsonFraming(new AnswerReader(), random.integer(0, 1) === 1),
    ]) {
      for (const piece of cutUp(random, text)) framing.push(Buffer.from(piece, 'latin1'));
      framing.end();
    }
  }
});

for (const [what, begin, more] of [
  ['one endless text', 'data: {"choices":[{"delta":{"content":"', 'lorem ipsum '],
  ['one endless line without any field', '', 'lorem ipsum '],
  ['one endless number', 'data: {"usage":{"prompt_tokens":', '1234567890'],
  ['one endless key', 'data: {"', 'lorem ipsum '],
  ['arrays inside of arrays', 'data: [', '[[[[[[[[[['],
  ['objects inside of objects', 'data: ', '{"choices":[{"delta":'],
  [
    'choices without end',
    'data: {"choices":[',
    '{"finish_reason":"stop","delta":{"content":"a"}},',
  ],
  ['events without end', '', 'data: {"usage":{"prompt_tokens":5},"choices":[]}\n\n'],
] as const) {
  test(`${what}: what is kept of it is bounded`, () => {
    const tap = new Tap('text/event-stream');
    const chunk = Buffer.from(more.repeat(Math.ceil(65_536 / more.length)));
    const push = (count: number): void => {
      for (let sent = 0; sent < count; sent++) tap.push(chunk, sent);
    };
    tap.push(Buffer.from(begin), 0);
    push(50);

    const before = measureFootprint().heldBytes;
    push(800);

    assert.ok(measureFootprint().heldBytes - before < 2_000_000);
    tap.end();
    assert.equal(tap.read().error, null);
  });
}

test('the figures at the end of 40 MB are found', () => {
  const tap = new Tap('text/event-stream');
  const chunk = Buffer.from('data: {"choices":[{"delta":{"content":"a"}}]}\n\n'.repeat(20_000));

  for (let sent = 0; sent < 40_000_000; sent += chunk.length) tap.push(chunk, 0);
  tap.push(Buffer.from('data: {"usage":{"prompt_tokens":75,"completion_tokens":30}}\n\n'), 0);

  assert.equal(tap.read().usage?.outputTokens, 30);
});

function readPieces(type: string, pieces: readonly string[]): unknown {
  const tap = new Tap(type);
  for (const piece of pieces) tap.push(Buffer.from(piece, 'latin1'), 1);
  tap.end();
  return tap.read();
}
