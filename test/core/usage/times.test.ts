import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tap, type TapReading } from '../../../src/core/usage/tap.ts';

const SSE = 'text/event-stream';
const NDJSON = 'application/x-ndjson';
const USAGE = '"usage":{"prompt_tokens":75,"completion_tokens":21}';

/** Each piece comes 100 ms after the one before, the first at 100. */
function readTimed(type: string, pieces: readonly string[]): TapReading {
  const tap = new Tap(type);
  for (const [index, piece] of pieces.entries()) tap.push(Buffer.from(piece), (index + 1) * 100);
  tap.end();
  return tap.read();
}

const QUIET = [
  ': a comment\n\n',
  'data: {"choices":[{"delta":{"role":"assistant","content":null}}]}\n\n',
  'data: {"choices":[{"delta":{"content":""}}],"prompt_progress":{"total":9}}\n\n',
  'event: ping\ndata: {"type":"ping"}\n\n',
  'data: {"type":"content_block_start","content_block":{"type":"text","text":""}}\n\n',
];

for (const [what, type, event] of [
  ['content', SSE, 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'],
  ['reasoning', SSE, 'data: {"choices":[{"delta":{"reasoning_content":"a"}}]}\n\n'],
  ["vLLM's reasoning", SSE, 'data: {"choices":[{"delta":{"reasoning":"a"}}]}\n\n'],
  ['a completion', SSE, 'data: {"choices":[{"text":"a"}]}\n\n'],
  [
    'arguments of a tool',
    SSE,
    'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}}]}\n\n',
  ],
  ["Anthropic's text", SSE, 'data: {"delta":{"type":"text_delta","text":"a"}}\n\n'],
  ["Anthropic's thinking", SSE, 'data: {"delta":{"thinking":"a"}}\n\n'],
  ["Anthropic's arguments", SSE, 'data: {"delta":{"partial_json":"{"}}\n\n'],
  ['a response', SSE, 'data: {"type":"response.output_text.delta","delta":"a"}\n\n'],
  ["llama.cpp's own", SSE, 'data: {"content":"a","stop":false}\n\n'],
  ["Ollama's chat", NDJSON, '{"message":{"content":"a"}}\n'],
  ["Ollama's thinking", NDJSON, '{"message":{"thinking":"a"}}\n'],
  ["Ollama's text", NDJSON, '{"response":"a"}\n'],
] as const) {
  test(`the first generated text is timed: ${what}`, () => {
    const before = type === SSE ? QUIET : ['{"message":{"content":""}}\n', '{"response":""}\n'];

    const { firstTokenAt } = readTimed(type, [...before, event, event]);

    assert.equal(firstTokenAt, (before.length + 1) * 100);
  });
}

test('the last event with data is timed, not what stands behind it', () => {
  const { lastEventAt } = readTimed(SSE, [
    'data: {"choices":[]}\n\n',
    `data: {${USAGE}}\n\n`,
    'data: [DONE]\n\n',
    ': bye\n\n',
  ]);

  assert.equal(lastEventAt, 200);
});

test('an answer that comes as a whole has no events to time', () => {
  const { firstTokenAt, lastEventAt } = readTimed('application/json', [
    '{"content":"a",',
    '"b":1}',
  ]);

  assert.deepEqual([firstTokenAt, lastEventAt], [null, null]);
});

const DELTA = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n';

test('where the backend tells tokens but no time, the speed is what was watched', () => {
  const { usage } = readTimed(SSE, [DELTA, DELTA, DELTA, DELTA, `data: {${USAGE}}\n\n`]);

  assert.deepEqual([usage?.outputTokensPerSecond, usage?.outputRateSource], [50, 'observed']);
});

for (const [why, pieces] of [
  [
    'the backend tells one',
    [DELTA, DELTA, `data: {${USAGE},"timings":{"predicted_per_second":7}}`],
  ],
  [
    'it tells one that cannot be',
    [DELTA, DELTA, `data: {${USAGE},"timings":{"predicted_per_second":0}}`],
  ],
  ['it took less than 200 ms', [DELTA, `data: {${USAGE}}`]],
  ['fewer than 8 tokens came', [DELTA, DELTA, 'data: {"usage":{"completion_tokens":7}}']],
  ['it told no tokens', [DELTA, DELTA, DELTA]],
  ['no text came', ['data: {}\n\n', 'data: {}\n\n', `data: {${USAGE}}`]],
] as const) {
  test(`no speed is watched where ${why}`, () => {
    const { usage } = readTimed(SSE, pieces);

    assert.notEqual(usage?.outputRateSource, 'observed');
  });
}
