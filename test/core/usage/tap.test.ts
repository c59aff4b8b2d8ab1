import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tap } from '../../../src/core/usage/tap.ts';

function read(answer: string, step = answer.length): ReturnType<Tap['read']> {
  const tap = new Tap();
  const bytes = new TextEncoder().encode(answer);
  for (let at = 0; at < bytes.length; at += step) tap.push(bytes.subarray(at, at + step), 0);
  return tap.read();
}

const TIMINGS =
  '"timings":{"cache_n":33,"prompt_n":1,"prompt_per_second":120.5,"predicted_n":51,"predicted_per_second":48.25}';

test("llama.cpp's timings are read from a stream without usage", () => {
  const { usage } = read(
    `data: {"choices":[{"delta":{"content":"hi"}}]}\n\ndata: {"choices":[{"finish_reason":"stop","delta":{}}],${TIMINGS}}\n\ndata: [DONE]\n\n`,
  );

  assert.partialDeepStrictEqual(usage, {
    inputTokens: 34,
    cachedTokens: 33,
    outputTokens: 51,
    inputTokensPerSecond: 120.5,
    outputTokensPerSecond: 48.25,
  });
});

test("OpenAI's usage is read, and a speed that was not reported is null", () => {
  const { usage } = read(
    '{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":3}}}',
  );

  assert.partialDeepStrictEqual(usage, {
    inputTokens: 7,
    cachedTokens: 3,
    outputTokens: 9,
    inputTokensPerSecond: null,
    outputTokensPerSecond: null,
  });
});

test('one token is no speed, nor are zero, infinite and negative ones', () => {
  const speeds = [
    '{"timings":{"predicted_n":1,"predicted_per_second":12}}',
    '{"timings":{"predicted_n":9,"predicted_per_second":0.0}}',
    '{"timings":{"predicted_n":9,"predicted_per_second":1e999}}',
    '{"timings":{"predicted_n":9,"predicted_per_second":-4}}',
  ].map((answer) => read(answer).usage?.outputTokensPerSecond);

  assert.partialDeepStrictEqual(speeds, [null, null, null, null]);
});

test('text that looks like usage is not taken for it', () => {
  const content = JSON.stringify(
    '{"usage":{"prompt_tokens":1,"completion_tokens":2}} "timings":{}',
  );

  const { usage } = read(`{"choices":[{"message":{"content":${content}}}]}`);

  assert.equal(usage, null);
});

test('numbers that are no counts are null', () => {
  const { usage } = read(
    '{"usage":{"prompt_tokens":-1,"completion_tokens":2.5,"total_tokens":"9"}}',
  );

  assert.equal(usage, null);
});

test('the figures behind a long answer are found however the bytes are cut', () => {
  const answer = `{"choices":[{"message":{"content":"${'é'.repeat(40_000)}"}}],${TIMINGS}}`;

  const found = [1, 7, 4096, answer.length].map((step) => read(answer, step).usage?.outputTokens);

  assert.partialDeepStrictEqual(found, [51, 51, 51, 51]);
});

test('a reply that ended in a tool call is told from a plain one', () => {
  const replies = [
    'data: {"choices":[{"finish_reason":"tool_calls","delta":{}}]}\n\n',
    '{"stop_reason": "tool_use"}',
    '{"choices":[{"finish_reason":"stop"}]}',
    '{"choices":[{"message":{"content":"\\"finish_reason\\":\\"tool_calls\\""},"finish_reason":"stop"}]}',
  ].map((answer) => read(answer).reply);

  assert.partialDeepStrictEqual(replies, ['toolCall', 'toolCall', 'plain', 'plain']);
});

test('what is no text at all says nothing', () => {
  const tap = new Tap();

  tap.push(
    Uint8Array.from({ length: 50_000 }, (_, index) => (index * 37) % 256),
    0,
  );

  assert.partialDeepStrictEqual(tap.read(), { usage: null, reply: 'plain' });
});

test('a bug inside of it is kept inside: the answer just tells nothing', () => {
  const pushing = new Tap(undefined, { push: broken, text: () => ({ head: '', tail: '' }) });
  const reading = new Tap(undefined, { push: () => undefined, text: broken });

  pushing.push(new Uint8Array(1), 0);
  reading.push(new Uint8Array(1), 0);

  const nothing = { usage: null, reply: 'plain' };
  assert.partialDeepStrictEqual([pushing.read(), reading.read()], [nothing, nothing]);
});

function broken(): never {
  throw new Error('bug');
}
