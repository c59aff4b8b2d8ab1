import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { PROGRAM, startExampleServer } from '../rig/exampleServer.ts';
import { until, untilHealthy } from '../rig/polling.ts';

const run = promisify(execFile);
const FOR_EVER = ['--load-ms', '1000000000'] as const;
const HELLO = [{ role: 'user', content: 'Say something, please.' }];
const LOADING = {
  error: { message: 'Loading model', type: 'unavailable_error', code: 503 },
};

test('a model that is being loaded refuses its known routes', async (t) => {
  const server = await startExampleServer(t, ...FOR_EVER);

  const health = await fetch(`${server.url}/health`);
  const chat = await server.post('/v1/chat/completions', { messages: HELLO });

  assert.equal(health.status, 503);
  assert.deepEqual(await health.json(), LOADING);
  assert.equal(chat.status, 503);
  assert.deepEqual(await chat.json(), LOADING);
});

test('an unknown route is not found, also while loading', async (t) => {
  const server = await startExampleServer(t, ...FOR_EVER);

  const response = await fetch(`${server.url}/v1/nothing`);

  assert.equal(response.status, 404);
  assert.deepEqual(await response.json(), {
    error: { message: 'File Not Found', type: 'not_found_error', code: 404 },
  });
});

test('a model serves once it is loaded', async (t) => {
  const server = await startExampleServer(t, '--load-ms', '300');

  await untilHealthy(server.url);

  const response = await server.post('/v1/chat/completions', { messages: HELLO, max_tokens: 1 });
  assert.equal(response.status, 200);
});

test('a model tells its name and its slots', async (t) => {
  const server = await startExampleServer(t, '--model', 'code', '--slots', '3');

  const props = await readJson(await fetch(`${server.url}/props`));
  const models = await readJson(await fetch(`${server.url}/v1/models`));
  const slots = await readJson(await fetch(`${server.url}/slots`));

  assert.partialDeepStrictEqual(props, { total_slots: 3, model_alias: 'code' });
  assert.partialDeepStrictEqual(models, { object: 'list', data: [{ id: 'code' }] });
  assert.deepEqual(
    slots,
    [0, 1, 2].map((id) => ({ id, n_ctx: 8192, speculative: false, is_processing: false })),
  );
});

test('each model recites a text of its own, whatever it is asked', async (t) => {
  const chat = await startExampleServer(t, '--model', 'chat');
  const code = await startExampleServer(t, '--model', 'code');

  const answers = [chat, code].map(async (server) => {
    const response = await server.post('/completion', { prompt: 'Who are you?' });
    return (await response.text()).match(/"content":"([^:]*:)/)?.[1];
  });

  assert.deepEqual(await Promise.all(answers), ['example-chat says:', 'example-code says:']);
});

test('a body that is no JSON is refused as llama-server does', async (t) => {
  const server = await startExampleServer(t);

  const response = await server.post('/v1/chat/completions', '{"messages": [');

  assert.equal(response.status, 400);
  assert.equal(response.headers.get('Connection'), 'close');
  assert.partialDeepStrictEqual(await response.json(), {
    error: { code: 400, type: 'invalid_request_error' },
  });
});

test('a request without a prompt, or with one that is too long, is refused before its stream begins', async (t) => {
  const server = await startExampleServer(t);

  const none = await server.post('/v1/chat/completions', { stream: true });
  const long = await server.post('/completion', { stream: true, prompt: 'word '.repeat(9000) });

  assert.equal(none.status, 400);
  assert.equal(long.status, 400);
  assert.partialDeepStrictEqual(await long.json(), {
    error: { type: 'exceed_context_size_error', n_prompt_tokens: 9000, n_ctx: 8192 },
  });
});

test('a server that is told to end does so at once, in the middle of an answer', async (t) => {
  const server = await startExampleServer(t);
  const response = await server.post('/completion', { prompt: '', stream: true, ignore_eos: true });

  server.process.kill('SIGTERM');

  await assert.rejects(response.text());
  await until('the server ends', () => server.process.exitCode === 0);
});

test('a server that cannot listen says so and fails', async (t) => {
  const first = await startExampleServer(t);
  const { port } = new URL(first.url);

  const second = run(process.execPath, [PROGRAM, '--port', port]);

  await assert.rejects(second, { code: 1, stderr: /EADDRINUSE/ });
});

async function readJson(response: Response): Promise<unknown> {
  assert.equal(response.status, 200);
  return response.json();
}
