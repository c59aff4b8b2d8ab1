import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAnswer } from './readAnswer.ts';

const SSE = 'text/event-stream';
const NDJSON = 'application/x-ndjson';
const JSON_TYPE = 'application/json';

for (const [shape, type, body, error] of [
  ['data', SSE, 'data: {"error":{"code":400,"message":"ctx"}}\n\ndata: [DONE]\n\n', 'ctx'],
  ["llama.cpp's old field", SSE, 'error: {"code":400,"message":"ctx"}\n\n', 'ctx'],
  ['bare JSON in a stream', SSE, 'data: {}\n\n{"error":{"message":"ctx"}}\n', 'ctx'],
  ["Ollama's line", NDJSON, '{"done":false}\n{"error":"ran out"}\n', 'ran out'],
  [
    "Anthropic's event",
    SSE,
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n',
    'busy',
  ],
  [
    'a response that failed',
    SSE,
    'data: {"type":"response.failed","response":{"status":"failed","error":{"code":"x","message":"gone"}}}\n\n',
    'gone',
  ],
  ['an event of the type error', SSE, 'data: {"type":"error","message":"bad"}\n\n', 'bad'],
  ["vLLM's old body", JSON_TYPE, '{"object":"error","message":"bad","code":400}', 'bad'],
  ['an event that is called error', SSE, 'event: error\ndata: {"message":"bad"}\n\n', 'bad'],
  [
    'an event that is called error behind its data',
    SSE,
    'data: {"message":"bad"}\nevent: error\n\n',
    'bad',
  ],
  ['an event of two names', SSE, 'event: x\nevent: error\ndata: {"message":"bad"}\n\n', 'bad'],
  [
    'none where the last name is another',
    SSE,
    'event: error\nevent: x\ndata: {"message":"a"}\n\n',
    null,
  ],
  [
    'none behind an event that was called error',
    SSE,
    'event: errors\ndata: {"message":"a"}\n\nevent: error\n\ndata: {"message":"b"}\n\n',
    null,
  ],
  ['text alone', SSE, 'error: it broke\n\n', 'the answer says that something went wrong'],
  ['none that is null', SSE, 'data: {"error":null,"choices":[]}\n\n', null],
  ['none that is empty', NDJSON, '{"error":"","done":true}\n', null],
  [
    'none that the model talks about',
    SSE,
    'data: {"choices":[{"delta":{"content":"{\\"error\\":{\\"message\\":\\"no\\"}}"}}]}\n\n',
    null,
  ],
  ['a message that is no error', JSON_TYPE, '{"object":"x","message":"all is well"}', null],
] as const) {
  test(`an error inside of an answer is seen: ${shape}`, () => {
    for (let step = 1; step <= body.length; step++) {
      assert.equal(readAnswer(body, type, step).error, error);
    }
  });
}

test('of a long error the beginning is kept', () => {
  const { error } = readAnswer(
    JSON.stringify({ error: { message: 'é"'.repeat(1_000_000) } }),
    JSON_TYPE,
  );

  assert.match(error ?? '', /^(?:é"){100,}é?$/);
  assert.ok((error ?? '').length <= 512);
});

test('what is kept of a long error reads as it was meant, also where an escape is cut or just whole', () => {
  for (const [written, kept] of [
    [String.raw`\\`, '\\'],
    [String.raw`\u00e9`, ''],
    [String.raw`\\u00e9`, '\\'],
  ] as const) {
    const body = `{"error":"\\n${'a'.repeat(508)}${written}${'b'.repeat(100)}"}`;

    assert.equal(readAnswer(body, JSON_TYPE).error, `\n${'a'.repeat(508)}${kept}`);
  }
});

for (const [shape, type, body, reasons, reply] of [
  ['OpenAI', SSE, 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n', ['stop'], 'plain'],
  [
    'two choices',
    JSON_TYPE,
    '{"choices":[{"finish_reason":"stop"},{"finish_reason":"length"}]}',
    ['stop', 'length'],
    'plain',
  ],
  [
    'a tool call',
    SSE,
    'data: {"choices":[{"finish_reason":"tool_calls"}]}\n\n',
    ['tool_calls'],
    'toolCall',
  ],
  [
    'a tool that the request named: vLLM says it just stopped',
    SSE,
    'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]}}]}\n\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n',
    ['stop'],
    'toolCall',
  ],
  [
    'the same, at once',
    JSON_TYPE,
    '{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}]}',
    ['stop'],
    'toolCall',
  ],
  [
    'a list of no tools',
    JSON_TYPE,
    '{"choices":[{"message":{"content":"a","tool_calls":[]},"finish_reason":"stop"}]}',
    ['stop'],
    'plain',
  ],
  [
    'Anthropic',
    SSE,
    'data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}\n\n',
    ['tool_use'],
    'toolCall',
  ],
  ['Anthropic at once', JSON_TYPE, '{"stop_reason":"end_turn"}', ['end_turn'], 'plain'],
  [
    "llama.cpp's own, with a reason that is none",
    SSE,
    `data: {"content":"a","stop_type":"none"}\n\ndata: {"stop_type":"${'x'.repeat(100)}"}\n\ndata: {"stop_type":"limit"}\n\n`,
    ['limit'],
    'plain',
  ],
  ['Ollama', NDJSON, '{"done":true,"done_reason":"stop"}\n', ['stop'], 'plain'],
  [
    "Ollama's tool call",
    NDJSON,
    '{"message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]}}\n{"done_reason":"stop"}\n',
    ['stop'],
    'toolCall',
  ],
  [
    'a response',
    SSE,
    'data: {"response":{"status":"in_progress"}}\n\ndata: {"response":{"status":"completed","output":[{"type":"message"}]}}\n\n',
    ['completed'],
    'plain',
  ],
  [
    'a response that calls',
    JSON_TYPE,
    '{"status":"completed","output":[{"type":"reasoning"},{"type":"function_call"}]}',
    ['completed'],
    'toolCall',
  ],
] as const) {
  test(`why it stopped, and whether the caller will be back: ${shape}`, () => {
    const { finishReasons, reply: read } = readAnswer(body, type, 5);

    assert.deepEqual([finishReasons, read], [reasons, reply]);
  });
}
