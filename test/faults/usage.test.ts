import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ASKED, askWatched, sha256 } from './askWatched.ts';

const CHAT = '/v1/chat/completions';
const SSE = 'text/event-stream';
const JSON_TYPE = 'application/json';
const NDJSON = 'application/x-ndjson';
const DELTA = 'data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}\n\n';
const USAGE = '"usage":{"prompt_tokens":75,"completion_tokens":30,"total_tokens":105}';
const WITH_TIMINGS = `"usage":{"prompt_tokens":237,"completion_tokens":35},`;
const TIMINGS =
  '"timings":{"cache_n":236,"prompt_n":1,"prompt_ms":31,"prompt_per_second":32.3,"predicted_n":35,"predicted_per_second":52.9}';

/** Figures of one answer, in the order: input, output, cached, generation speed, prompt speed. */
type Expected = readonly [
  input: number | null,
  output: number | null,
  cached?: number | null,
  rate?: number | null,
  inputRate?: number | null,
];

interface Case {
  readonly path?: string;
  readonly type?: string;
  readonly body: string;
  readonly expected: Expected;
}

const CASES: readonly (readonly [id: string, what: string, cases: readonly Case[]])[] = [
  [
    'sse-04',
    'an event stream in another spelling no longer has no usage',
    [
      { body: `data:{"choices":[],${USAGE}}\r\n\r\n`, expected: [75, 30] },
      { body: `data: {"choices":[],\ndata: ${USAGE}}\n\n`, expected: [75, 30] },
      { body: `\ufeffdata: {${USAGE}}\n\n`, expected: [75, 30] },
      { body: `: hi\r\revent: x\rid: 7\rdata: {${USAGE}}\r\r`, expected: [75, 30] },
    ],
  ],
  [
    'use-01',
    'usage in an event without choices is no longer skipped',
    ['"choices":[],', '"choices":null,', ''].map((choices) => ({
      body: `${DELTA}data: {${choices}${USAGE}}\n\ndata: [DONE]\n\n`,
      expected: [75, 30],
    })),
  ],
  [
    'use-02',
    'usage that is null before or after no longer takes it away',
    [
      {
        body: `data: {"usage":null}\n\ndata: {${USAGE}}\n\ndata: {"choices":[],"usage":null}\n\n`,
        expected: [75, 30],
      },
    ],
  ],
  [
    'use-03',
    'usage in every event is no longer added up',
    [
      {
        body: [1, 2, 3, 3]
          .map((n) => `data: {"usage":{"prompt_tokens":10,"completion_tokens":${n}}}\n\n`)
          .join(''),
        expected: [10, 3],
      },
    ],
  ],
  [
    'use-05',
    'a prompt from the cache is no longer counted as one token',
    [
      { body: `data: {${TIMINGS}}\n\n`, expected: [237, 35, 236, 52.9, 32.3] },
      { body: `data: {${WITH_TIMINGS}${TIMINGS}}\n\n`, expected: [237, 35, 236, 52.9, 32.3] },
    ],
  ],
  [
    'use-09',
    'lines of Ollama are no longer overlooked',
    [
      {
        path: '/api/chat',
        type: NDJSON,
        body: '{"message":{"content":"a"},"done":false}\n{"done":true,"prompt_eval_count":26,"prompt_eval_duration":130000000,"eval_count":100,"eval_duration":2000000000}\n',
        expected: [26, 100, null, 50, 200],
      },
    ],
  ],
  [
    'use-11',
    'a time of nothing no longer gives an endless speed',
    [
      {
        path: '/api/chat',
        type: NDJSON,
        body: '{"done":true,"eval_count":5,"eval_duration":0}\n',
        expected: [null, 5],
      },
      {
        path: '/api/chat',
        type: NDJSON,
        body: '{"done":true,"eval_count":1,"eval_duration":1000}\n',
        expected: [null, 1],
      },
      {
        body: 'data: {"timings":{"predicted_n":9,"predicted_per_second":1e999}}\n\n',
        expected: [null, 9],
      },
      {
        body: 'data: {"timings":{"predicted_n":9,"predicted_per_second":null}}\n\n',
        expected: [null, 9],
      },
    ],
  ],
  [
    'use-13',
    'input in the first event is no longer lost, nor added to what repeats it',
    [
      {
        path: '/v1/messages',
        body: `data: {"type":"message_start","message":{"usage":{"input_tokens":25,"output_tokens":1}}}\n\n${'data: {"type":"content_block_delta","delta":{"text":"word "}}\n\n'.repeat(2500)}data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":25,"output_tokens":800}}\n\n`,
        expected: [25, 800],
      },
      {
        path: '/v1/messages',
        body: 'data: {"type":"message_start","message":{"usage":{"input_tokens":9,"cache_read_input_tokens":1,"cache_creation_input_tokens":0,"output_tokens":1}}}\n\ndata: {"type":"message_delta","usage":{"output_tokens":16}}\n\n',
        expected: [10, 16, 1],
      },
    ],
  ],
  [
    'use-14',
    'usage behind the whole text of a response is no longer out of reach',
    ['completed', 'incomplete', 'failed'].map((status) => ({
      path: '/v1/responses',
      body: `event: response.${status}\ndata: {"type":"response.${status}","response":{"status":"${status}","output":[{"content":[{"text":"${'word '.repeat(60_000)}"}]}],"usage":{"input_tokens":36,"output_tokens":87}}}\n\n`,
      expected: [36, 87],
    })),
  ],
  [
    'use-15',
    'embeddings no longer count as -1 tokens, nor get lost behind their numbers',
    [
      {
        path: '/v1/embeddings',
        type: JSON_TYPE,
        body: `{"data":[${Array.from({ length: 64 }, () => `{"embedding":[${'0.0123,'.repeat(4095)}1]}`).join(',')}],"usage":{"prompt_tokens":512,"total_tokens":512}}`,
        expected: [512, null],
      },
      {
        path: '/v1/rerank',
        type: JSON_TYPE,
        body: '{"usage":{"total_tokens":62},"results":[]}',
        expected: [null, null],
      },
    ],
  ],
];

for (const [id, what, cases] of CASES) {
  for (const [index, { path = CHAT, type = SSE, ...rest }] of cases.entries()) {
    test(`${id}: ${what} (${index + 1})`, async (t) => {
      const { body, expected } = rest;
      const [input, output, cached = null, rate = null, inputRate = null] = expected;

      const seen = await askWatched(t, path, type, (res) => res.end(body));

      assert.deepEqual([seen.status, seen.sha256], [200, sha256(Buffer.from(body))]);
      assert.partialDeepStrictEqual(seen.record, {
        status: 200,
        prompt_tokens: input,
        gen_tokens: output,
        cached_tokens: cached,
        gen_tok_s: rate,
        gen_tok_s_source: rate === null ? null : 'backend',
        prompt_tok_s: inputRate,
      });
      assert.deepEqual(seen.counted, [input ?? 0, output ?? 0, cached ?? 0]);
      assert.deepEqual(seen.totals, [input ?? 0, output ?? 0]);
      assert.deepEqual(seen.recentRates, [rate, rate ?? NaN]);
      assert.deepEqual(
        [
          seen.attributes['gen_ai.usage.input_tokens'],
          seen.attributes['gen_ai.usage.output_tokens'],
        ],
        [input ?? undefined, output ?? undefined],
      );
    });
  }
}

test('use-04: an answer without usage no longer gets invented numbers, nor its request edited', async (t) => {
  const body = `${DELTA.repeat(20)}data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;

  const seen = await askWatched(
    t,
    CHAT,
    SSE,
    (res) => res.end(body),
    () => 1_000_000,
  );

  assert.equal(seen.asked, ASKED);
  assert.deepEqual([seen.status, seen.sha256], [200, sha256(Buffer.from(body))]);
  assert.partialDeepStrictEqual(seen.record, {
    status: 200,
    outcome: 'served',
    total_ms: 0,
    ttfb_ms: 0,
    ttft_ms: 0,
    generation_ms: 0,
    prompt_tokens: null,
    gen_tokens: null,
    gen_tok_s: null,
    unmetered: 'no_usage',
  });
  assert.deepEqual([seen.served, seen.counted, seen.unmetered], [1, [0, 0, 0], 1]);
  assert.deepEqual(seen.recentRates, [null, NaN]);
  assert.ok(!Object.keys(seen.attributes).some((name) => name.startsWith('gen_ai.usage.')));
});
