import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { z } from 'zod';
import { readAnswer } from './readAnswer.ts';

const figure = z.number().nullable();
const answers = readFileSync(join(import.meta.dirname, 'answers.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) =>
    z
      .object({
        id: z.string(),
        content_type: z.string(),
        content_encoding: z.enum(['gzip', 'br', 'deflate']).optional(),
        body_utf8: z.string().optional(),
        body_b64: z.string().optional(),
        expected: z.object({
          prompt_tokens: figure,
          completion_tokens: figure,
          cached_tokens: figure,
          gen_tok_s: figure,
          prompt_tok_s: figure,
        }),
      })
      .parse(JSON.parse(line)),
  );

const decode = { gzip: gunzipSync, br: brotliDecompressSync, deflate: inflateSync };

for (const { id, content_type, content_encoding, body_utf8, body_b64, expected } of answers) {
  test(`the figures of ${id} are found, however its bytes are cut`, () => {
    const sent =
      body_b64 === undefined ? Buffer.from(body_utf8 ?? '') : Buffer.from(body_b64, 'base64');
    const body = content_encoding === undefined ? sent : decode[content_encoding](sent);

    for (const step of [1, 2, 7, 64, body.length + 1]) {
      const { usage } = readAnswer(body, content_type, step);
      const read = {
        prompt_tokens: usage?.inputTokens ?? null,
        completion_tokens: usage?.outputTokens ?? null,
        cached_tokens: usage?.cachedTokens ?? null,
        gen_tok_s: usage?.outputTokensPerSecond ?? null,
        prompt_tok_s: usage?.inputTokensPerSecond ?? null,
      };
      assert.deepEqual(read, expected, `in pieces of ${step}`);
    }
  });
}
