import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic, { NotFoundError } from '@anthropic-ai/sdk';
import { streamText } from 'ai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { startLlamaRig } from '../rig/llamaRig.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { type RunningJano, startJano, startJanoFor } from '../support/startJano.ts';

const MESSAGES = [{ role: 'user' as const, content: 'Who are you?' }];
/** What a tiny model recites, and which one it is. */
const CHAT = /^tiny-chat says: \w+/;
const CODE = /^def tiny_code\(x\):/;

/** Jano in front of real llama-servers, one in memory at a time; null where there is none. */
async function startOnLlama(t: TestContext): Promise<RunningJano | null> {
  const rig = await startLlamaRig(t, {
    models: { chat: { kind: 'chat' }, code: { kind: 'code' } },
  });
  if (rig === null) return null;
  return startJano(
    t,
    {
      swap: { command: rig.command, timeout: '60s', poll: '20ms' },
      models: ['chat', 'code'].map((name) => ({ name, url: rig.urlOf(name) })),
    },
    (config) => ({ ...config, swap: { ...config.swap, environment: rig.environment } }),
  );
}

test('openai gets whole answers and streams of both models', async (t) => {
  const jano = await startOnLlama(t);
  if (jano === null) return;
  const client = new OpenAI({ baseURL: `${jano.url}/v1`, apiKey: 'none' });

  const answer = await client.chat.completions.create({ model: 'chat', messages: MESSAGES });
  const stream = await client.chat.completions.create({
    model: 'code',
    messages: MESSAGES,
    stream: true,
  });
  let text = '';
  for await (const event of stream) text += event.choices[0]?.delta.content ?? '';

  assert.match(answer.choices[0]?.message.content ?? '', CHAT);
  assert.match(text, CODE);
});

test('openai uploads a file, and the form goes to the model that it names', async (t) => {
  const url = await startBackend(t, async (req, res) => {
    const body = Buffer.concat(await req.toArray());
    res.setHeader('Content-Type', 'application/json');
    res.end(
      JSON.stringify({ text: `${req.headers['content-type']?.slice(0, 19)} ${body.length}` }),
    );
  });
  const models = ['whisper', 'chat'].map((name) => ({ name, url, pinned: true }));
  const jano = await startJano(t, { models, default: 'chat' });
  const client = new OpenAI({ baseURL: `${jano.url}/v1`, apiKey: 'none' });
  const file = new File([new Uint8Array(3_000_000)], 'speech.wav');

  const { text } = await client.audio.transcriptions.create({ file, model: 'whisper' });

  assert.match(text, /^multipart\/form-data 3000\d\d\d$/);
  assert.equal(jano.snapshot().ledger.requests.newest()[0]?.model, 'whisper');
});

test('openai lists the models and understands that one is unknown', async (t) => {
  const url = await startBackend(t, (_req, res) => void res.end('{}'));
  const jano = await startJanoFor(t, url);
  const client = new OpenAI({ baseURL: `${jano.url}/v1`, apiKey: 'none' });

  const models = await client.models.list();

  assert.deepEqual(
    models.data.map(({ id }) => id),
    ['qwen'],
  );
  await assert.rejects(client.chat.completions.create({ model: 'nope', messages: MESSAGES }), {
    status: 404,
    code: 'model_not_found',
    message: '404 no model "nope"; configured are: qwen',
  });
});

test('@anthropic-ai/sdk gets answers and streams, and errors in its own shape', async (t) => {
  const jano = await startOnLlama(t);
  if (jano === null) return;
  const client = new Anthropic({ baseURL: jano.url, apiKey: 'none', maxRetries: 0 });
  const ask = { max_tokens: 100, messages: MESSAGES };

  const answer = await client.messages.create({ model: 'chat', ...ask });
  const stream = await client.messages.stream({ model: 'code', ...ask }).finalText();

  const [block] = answer.content;
  assert.match(block?.type === 'text' ? block.text : '', CHAT);
  assert.match(stream, CODE);
  await assert.rejects(client.messages.create({ model: 'nope', ...ask }), NotFoundError);
});

test('ai-sdk streams text of both models at once', async (t) => {
  const jano = await startOnLlama(t);
  if (jano === null) return;
  const provider = createOpenAICompatible({ name: 'jano', baseURL: `${jano.url}/v1` });

  const texts = await Promise.all(
    ['chat', 'code'].map(
      (model) => streamText({ model: provider(model), prompt: 'Who are you?' }).text,
    ),
  );

  assert.match(texts[0] ?? '', CHAT);
  assert.match(texts[1] ?? '', CODE);
});

test('ollama streams lines, lists models, and shows the text of an error', async (t) => {
  const lines = [
    '{"message":{"role":"assistant","content":"hel"},"done":false}',
    '{"message":{"role":"assistant","content":"lo"},"done":true}',
  ];
  const url = await startBackend(t, (_req, res) => {
    res.setHeader('content-type', 'application/x-ndjson');
    for (const line of lines) res.write(`${line}\n`);
    res.end();
  });
  const jano = await startJanoFor(t, url);
  const client = new Ollama({ host: jano.url });

  let text = '';
  for await (const part of await client.chat({
    model: 'qwen:latest',
    messages: MESSAGES,
    stream: true,
  })) {
    text += part.message.content;
  }

  assert.equal(text, 'hello');
  assert.deepEqual(
    (await client.list()).models.map(({ name }) => name),
    ['qwen'],
  );
  assert.deepEqual(
    (await client.ps()).models.map(({ name }) => name),
    ['qwen'],
  );
  await assert.rejects(client.chat({ model: 'nope', messages: MESSAGES }), /no model "nope"/);
});
