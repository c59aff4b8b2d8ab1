import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { readAnswer } from './readAnswer.ts';
import { figuresOf } from './wholeAnswer.ts';

/** Bodies that a real llama-server has sent. */
const captures = z
  .record(z.string(), z.object({ type: z.string(), body: z.string() }))
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'captures.json'), 'utf8')));

for (const [name, { type, body }] of Object.entries(captures)) {
  test(`of the real answer ${name} the tap reads what a reader of all of it reads`, () => {
    const { usage, reply } = readAnswer(body, type);

    const read = {
      input: usage?.inputTokens ?? null,
      cached: usage?.cachedTokens ?? null,
      output: usage?.outputTokens ?? null,
      inputRate: usage?.inputTokensPerSecond ?? null,
      outputRate: usage?.outputTokensPerSecond ?? null,
      endsInCall: reply === 'toolCall',
    };
    assert.deepEqual(read, figuresOf(body, type));
  });

  test(`the real answer ${name} reads the same in pieces of whatever length`, () => {
    const bytes = Buffer.from(body);
    const whole = readAnswer(bytes, type);

    for (let at = 1; at < bytes.length; at += 1 + Math.floor(bytes.length / 400)) {
      assert.deepEqual(readAnswer(bytes, type, at), whole, `in pieces of ${at}`);
    }
  });
}
