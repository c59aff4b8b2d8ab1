import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readChat, readChatStream, readEvents, wordsOf } from '../rig/chatAnswer.ts';
import { startExampleServer } from '../rig/exampleServer.ts';

const CHAT = '/v1/chat/completions';
const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Say something, please.' }] },
];

test('an answer says how many words were read and spoken', async (t) => {
  const server = await startExampleServer(t);

  const answer = await readChat(await server.post(CHAT, { messages }));

  const words = answer.choices[0].message.content.split(/\s+/).length;
  assert.equal(answer.choices[0].finish_reason, 'stop');
  assert.deepEqual(answer.usage, {
    prompt_tokens: 5,
    completion_tokens: words,
    total_tokens: 5 + words,
  });
  assert.equal(answer.timings.prompt_n, 5);
  assert.equal(answer.timings.predicted_n, words);
});

test('a stream has one word an event, and together they are the answer', async (t) => {
  const server = await startExampleServer(t);
  const whole = await readChat(await server.post(CHAT, { messages }));

  const chunks = await readChatStream(await server.post(CHAT, { messages, stream: true }));

  const words = wordsOf(chunks);
  assert.equal(words.join(''), whole.choices[0].message.content);
  assert.equal(words.length, whole.usage.completion_tokens);
  assert.ok(words.every((word) => /^\s*\S+$/.test(word)));
});

test('the timings are llama-server’s: n words take n - 1 steps', async (t) => {
  const server = await startExampleServer(t);

  const { timings } = await readChat(await server.post(CHAT, { messages, max_tokens: 5 }));

  assert.deepEqual(timings, {
    cache_n: 0,
    prompt_n: 5,
    prompt_ms: timings.prompt_ms,
    prompt_per_token_ms: timings.prompt_ms / 5,
    prompt_per_second: (5 / timings.prompt_ms) * 1000,
    predicted_n: 5,
    predicted_ms: timings.predicted_ms,
    predicted_per_token_ms: timings.predicted_ms / 4,
    predicted_per_second: (4 / timings.predicted_ms) * 1000,
  });
});

test('the timings tell no more time than went by', async (t) => {
  const server = await startExampleServer(t);
  const startedAt = performance.now();

  const { timings } = await readChat(await server.post(CHAT, { messages, max_tokens: 20 }));

  const totalMs = performance.now() - startedAt;
  assert.ok(timings.prompt_ms + timings.predicted_ms <= totalMs);
});

test('a single word has no speed', async (t) => {
  const server = await startExampleServer(t);

  const { timings } = await readChat(await server.post(CHAT, { messages, max_tokens: 0 }));

  assert.equal(timings.predicted_n, 1);
  assert.equal(timings.predicted_ms, 0.001);
  assert.equal(timings.predicted_per_token_ms, 0);
  assert.equal(timings.predicted_per_second, 0);
});

test('a limit ends the answer after as many words', async (t) => {
  const server = await startExampleServer(t);

  const chunks = await readChatStream(
    await server.post(CHAT, { messages, max_tokens: 3, stream: true }),
  );

  assert.equal(wordsOf(chunks).length, 3);
  assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'length');
  assert.equal(chunks.at(-1)?.timings?.predicted_n, 3);
});

test('an answer that ignores its end starts over', async (t) => {
  const server = await startExampleServer(t, '--words-per-second', '1000');
  const request = { messages, ignore_eos: true, max_tokens: 200 };

  const answer = await readChat(await server.post(CHAT, request));

  assert.equal(answer.usage.completion_tokens, 200);
  assert.equal(answer.choices[0].message.content.match(/example-chat says:/g)?.length, 3);
});

test('a stream tells usage only when asked, in an event of its own', async (t) => {
  const server = await startExampleServer(t);
  const request = { messages, max_tokens: 2, stream: true };

  const plain = await readChatStream(await server.post(CHAT, request));
  const asked = await readChatStream(
    await server.post(CHAT, { ...request, stream_options: { include_usage: true } }),
  );

  assert.equal(plain.at(-1)?.usage, undefined);
  assert.notEqual(plain.at(-1)?.timings, undefined);
  assert.equal(asked.length, plain.length + 1);
  assert.deepEqual(asked.at(-1)?.choices, []);
  assert.equal(asked.at(-1)?.usage?.completion_tokens, 2);
  assert.equal(asked.at(-2)?.timings, undefined);
});

test('text completions have usage in their last event, asked or not', async (t) => {
  const server = await startExampleServer(t);
  const request = { prompt: 'one two three', max_tokens: 2, stream: true };

  const events = await readEvents(await server.post('/v1/completions', request));

  assert.equal(events.length, 4);
  assert.equal(events.at(-1), '[DONE]');
  assert.partialDeepStrictEqual(JSON.parse(events[2] ?? ''), {
    choices: [{ text: '', finish_reason: 'length' }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    timings: { prompt_n: 3, predicted_n: 2 },
  });
});

test('native completions count in every event and end without a mark', async (t) => {
  const server = await startExampleServer(t);
  const request = { prompt: [1, 2, 3], n_predict: 2, stream: true };

  const events = await readEvents(await server.post('/completion', request));

  const [first, , last] = events.map((data): unknown => JSON.parse(data));
  assert.equal(events.length, 3);
  assert.partialDeepStrictEqual(first, {
    content: 'example-chat',
    stop: false,
    tokens_predicted: 1,
    tokens_evaluated: 3,
  });
  assert.partialDeepStrictEqual(last, {
    content: '',
    stop: true,
    stop_type: 'limit',
    timings: { prompt_n: 3, predicted_n: 2 },
  });
});
