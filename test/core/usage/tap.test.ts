import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerReader } from '../../../src/core/usage/answerReader.ts';
import { Tap, type TapReading } from '../../../src/core/usage/tap.ts';
import { readAnswer } from './readAnswer.ts';

const SSE = 'text/event-stream';
const NDJSON = 'application/x-ndjson';
const JSON_TYPE = 'application/json';
const USAGE = '"usage":{"prompt_tokens":75,"completion_tokens":30}';

/** Input and output tokens. */
function tokensOf({ usage }: TapReading): unknown[] {
  return [usage?.inputTokens ?? null, usage?.outputTokens ?? null];
}

for (const [grammar, body] of Object.entries({
  'line feeds': `data: {"choices":[],${USAGE}}\n\n`,
  'lone carriage returns': `data: {"choices":[]}\r\rdata: {${USAGE}}\r\r`,
  'both in turn': `data: {"choices":[]}\r\n\rdata: {${USAGE}}\n\r\n`,
  'a document in two data lines': `data: {"choices":[],\ndata: ${USAGE}}\n\n`,
  'carriage returns and line feeds within an event': `event: x\r\ndata: {"choices":[],\r\ndata: ${USAGE}}\r\n\r\n`,
  'no space behind the colon': `data:{${USAGE}}\n\n`,
  'two spaces behind the colon': `data:  {${USAGE}}\n\n`,
  'comments with the words of a field': `: data: {"usage":{"prompt_tokens":1}}\n\ndata: {${USAGE}}\n\n: data: {"usage":{"prompt_tokens":2}}\n\n`,
  'fields that are not known': `database: {"usage":{"prompt_tokens":1}}\ndata: {${USAGE}}\nevent: x\n\n`,
  'no last line end': `data: {${USAGE}}`,
  'a byte order mark': `\ufeffdata: {${USAGE}}\n\n`,
  'JSON without any field': `{${USAGE}}`,
  'JSON without any field over several lines': `{\n  "choices": [],\n  ${USAGE}\n}\n`,
  'an event that is no JSON before': `data: hello {"usage"\n\ndata: {${USAGE}}\n\n`,
  'an event that breaks off before': `data: {"choices":[{"delta":{"content":"ab\n\ndata: {${USAGE}}\n\n`,
  'an empty event before': `data:\n\ndata\n\ndata: {${USAGE}}\n\n`,
})) {
  test(`an event stream with ${grammar} is understood, wherever it is cut`, () => {
    for (let step = 1; step <= body.length; step++) {
      assert.deepEqual(tokensOf(readAnswer(body, SSE, step)), [75, 30], `in pieces of ${step}`);
    }
  });
}

test('what no content type announces is told by its first bytes', () => {
  assert.deepEqual(tokensOf(readAnswer(`\n {${USAGE}}`, '')), [75, 30]);
  assert.deepEqual(tokensOf(readAnswer(`event: x\ndata: {${USAGE}}\n\n`, 'text/plain')), [75, 30]);
  assert.deepEqual(tokensOf(readAnswer(`data: {${USAGE}}\n\n`, JSON_TYPE)), [75, 30]);
  assert.deepEqual(tokensOf(readAnswer(`{"done":false}\n{${USAGE}}\n`, JSON_TYPE)), [75, 30]);
});

test('a broken line of NDJSON takes nothing from the others', () => {
  const lines = '{"message":{"content":"a\n[}\n{"prompt_eval_count":26,"eval_count":100}\n';

  assert.deepEqual(tokensOf(readAnswer(lines, NDJSON)), [26, 100]);
});

test('numbers inside of strings are no numbers', () => {
  const inside = JSON.stringify(`"}],${USAGE},"x":[{"`);

  const reading = readAnswer(
    `data: {"choices":[{"delta":{"content":${inside}}}],"note":${inside}}\n\n`,
    SSE,
  );

  assert.deepEqual(tokensOf(reading), [null, null]);
});

test('only what stands at its place counts', () => {
  const body = `{"choices":[{"message":{${USAGE}}}],"metadata":{${USAGE}},"x":[{${USAGE}}]}`;

  assert.deepEqual(tokensOf(readAnswer(body, JSON_TYPE)), [null, null]);
});

test('names may be written with escapes, and of several of one name the last counts', () => {
  const body = '{"us\\u0061ge":{"prompt_tokens":1,"prompt_tokens":2,"prompt\\u005ftokens":3}}';

  for (let step = 1; step < body.length; step++) {
    assert.deepEqual(tokensOf(readAnswer(body, JSON_TYPE, step)), [3, null]);
  }
});

for (const bad of ['-1', '1.5', '1e999', '"12"', 'null', 'true', '{}', '[3]', '9007199254740993']) {
  test(`${bad} is no count, and takes none away`, () => {
    const alone = readAnswer(`{"usage":{"prompt_tokens":${bad}}}`, JSON_TYPE);
    const after = readAnswer(`{${USAGE}}\n{"usage":{"prompt_tokens":${bad}}}\n`, NDJSON);

    assert.equal(alone.usage, null);
    assert.deepEqual(tokensOf(after), [75, 30]);
  });
}

for (const [speed, expected] of [
  ['48.25', 48.25],
  ['4.8e1', 48],
  ['0', null],
  ['0.0', null],
  ['-3', null],
  ['1e999', null],
  ['null', null],
  ['"fast"', null],
] as const) {
  test(`a speed of ${speed} is ${expected ?? 'none'}`, () => {
    const { usage } = readAnswer(
      `{"timings":{"prompt_n":5,"cache_n":0,"predicted_n":9,"predicted_per_second":${speed}}}`,
      JSON_TYPE,
    );

    assert.equal(usage?.outputTokensPerSecond, expected);
    assert.equal(usage?.outputRateSource, expected === null ? null : 'backend');
  });
}

test('one generated token has no speed, though a prompt of one has', () => {
  const { usage } = readAnswer(
    '{"timings":{"prompt_n":1,"cache_n":0,"prompt_per_second":32.3,"predicted_n":1,"predicted_per_second":1000000}}',
    JSON_TYPE,
  );

  assert.deepEqual([usage?.inputTokensPerSecond, usage?.outputTokensPerSecond], [32.3, null]);
});

test('drafted, taken, reasoning and cached tokens are told apart', () => {
  const llama = readAnswer(
    '{"timings":{"cache_n":30,"prompt_n":4,"predicted_n":51,"draft_n":40,"draft_n_accepted":31}}',
    JSON_TYPE,
  );
  const vllm = readAnswer(
    `{"usage":{"prompt_tokens":10,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens":50,"completion_tokens_details":{"reasoning_tokens":40}},"metrics":{"tokens_per_second":61.5,"time_to_first_token_ms":30,"speculative_decoding":{"num_draft_tokens":20,"num_accepted_draft_tokens":12}}}`,
    JSON_TYPE,
  );

  assert.deepEqual([llama.usage?.draftTokens, llama.usage?.draftAcceptedTokens], [40, 31]);
  assert.partialDeepStrictEqual(vllm.usage, {
    inputTokens: 10,
    cachedTokens: 8,
    outputTokens: 50,
    reasoningTokens: 40,
    draftTokens: 20,
    draftAcceptedTokens: 12,
    outputTokensPerSecond: 61.5,
  });
});

test("LM Studio's speed stands beside the usage", () => {
  const { usage } = readAnswer(
    `{${USAGE},"stats":{"tokens_per_second":51.4,"time_to_first_token":0.1}}`,
    JSON_TYPE,
  );

  assert.deepEqual([usage?.outputTokens, usage?.outputTokensPerSecond], [30, 51.4]);
});

test('a reload that Ollama did by itself shows, in milliseconds', () => {
  const { usage } = readAnswer(
    `{"response":"","done":true,"context":[${'1,2,'.repeat(100_000)}3],"load_duration":1234567890,"prompt_eval_count":26,"eval_count":100,"eval_duration":2000000000}\n`,
    NDJSON,
    4096,
  );

  assert.deepEqual([usage?.loadMs, usage?.outputTokens], [1235, 100]);
  assert.equal(usage?.outputTokensPerSecond, 50);
});

test("what went into Anthropic's cache and came out of it is a part of the prompt", () => {
  const { usage } = readAnswer(
    'data: {"type":"message_start","message":{"usage":{"input_tokens":9,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":1}}}\n\ndata: {"type":"message_delta","usage":{"output_tokens":800}}\n\n',
    SSE,
  );

  assert.deepEqual([usage?.inputTokens, usage?.cachedTokens, usage?.outputTokens], [129, 100, 800]);
});

test('the results of one request with several are summed, and their speeds are of none', () => {
  const result =
    '{"content":"x","tokens_predicted":30,"tokens_evaluated":75,"timings":{"prompt_n":70,"cache_n":5,"predicted_n":30,"predicted_per_second":50}}';

  const one = readAnswer(`[${result}]`, JSON_TYPE).usage;
  const two = readAnswer(`[${result},${result}]`, JSON_TYPE).usage;

  assert.deepEqual([one?.inputTokens, one?.outputTokensPerSecond], [75, 50]);
  assert.deepEqual(
    [two?.inputTokens, two?.cachedTokens, two?.outputTokens, two?.outputTokensPerSecond],
    [150, 10, 60, null],
  );
});

test('text that is no JSON says nothing, and a body that breaks off is unreadable', () => {
  const reasons = [
    readAnswer('<html>', 'text/html'),
    readAnswer('hello', 'text/plain'),
    readAnswer('hello', ''),
    readAnswer('{"choices":[{"message":{"content":"abc', JSON_TYPE),
    readAnswer('{"choices":[}', JSON_TYPE),
    readAnswer('{"choices":[]}', JSON_TYPE),
    readAnswer('data: [DONE]\n\n', SSE),
    readAnswer('', JSON_TYPE),
  ].map(({ unmetered }) => unmetered);

  assert.deepEqual(reasons, [
    'not_json',
    'not_json',
    'not_json',
    'unreadable',
    'unreadable',
    'no_usage',
    'no_usage',
    'no_usage',
  ]);
});

test('a bug inside of it is kept inside: the answer just tells nothing', (t) => {
  t.mock.method(AnswerReader.prototype, 'push', () => {
    throw new Error('a bug');
  });
  const tap = new Tap(SSE);

  tap.push(Buffer.from(`data: {${USAGE}}\n\n`), 0);
  tap.end();

  assert.partialDeepStrictEqual(tap.read(), { usage: null, unmetered: 'unreadable' });
});
