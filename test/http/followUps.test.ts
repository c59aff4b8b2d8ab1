import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { assertEnded, untilShown } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { type RawConfig, type RunningJano, startJano } from '../support/startJano.ts';

/**
 * Jano in front of "qwen", the default, and "gemma", one slot each. A request whose body says `hold` is answered in a
 * stream that goes on until the test ends; each answer has an id of its own, and names its model.
 */
async function startTwo(t: TestContext, more: RawConfig = {}): Promise<RunningJano> {
  const models = ['qwen', 'gemma'].map(async (name) => {
    let count = 0;
    const url = await startBackend(t, async (req, res) => {
      const id = `resp_${name}_${++count}`;
      const body = (await req.toArray()).join('');
      if (!body.includes('hold')) return void res.end(JSON.stringify({ id, model: name }));
      res.setHeader('content-type', 'text/event-stream');
      res.write(`data: {"type":"response.created","response":{"id":"${id}"}}\n\n`);
    });
    return { name, url, pinned: true, parallel: 1, ...more };
  });
  return startJano(t, { models: await Promise.all(models), default: 'qwen' });
}

async function ask(
  jano: RunningJano,
  method: string,
  path: string,
  body: object | null = null,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ id: string; model: string }> {
  const init = { method, headers, body: body && JSON.stringify(body) };
  const answer: unknown = await (await fetch(jano.url + path, init)).json();
  assert.ok(typeof answer === 'object' && answer !== null && 'id' in answer && 'model' in answer);
  return { id: String(answer.id), model: String(answer.model) };
}

test('what refers to an answer goes to the model that gave it', async (t) => {
  const jano = await startTwo(t);
  const { id } = await ask(jano, 'POST', '/v1/responses', { model: 'gemma' });

  for (const [method, path] of [
    ['GET', `/v1/responses/${id}`],
    ['GET', `/responses/${id}/input_items?limit=2`],
    ['POST', `/v1/responses/${id}/cancel`],
    ['DELETE', `/v1/responses/${id}`],
  ] as const) {
    assert.equal((await ask(jano, method, path)).model, 'gemma');
  }
  const next = await ask(jano, 'POST', '/v1/responses', { previous_response_id: id });
  assert.equal(next.model, 'gemma');
  // Its own answer is known, too.
  assert.equal((await ask(jano, 'GET', `/v1/responses/${next.id}`)).model, 'gemma');
});

test('an answer can be cancelled while it streams, though it takes the only slot', async (t) => {
  const jano = await startTwo(t);
  const caller = new AbortController();
  const streaming = await fetch(`${jano.url}/v1/responses`, {
    method: 'POST',
    body: '{"model":"gemma","input":"hold"}',
    signal: caller.signal,
  });
  await streaming.body?.getReader().read();

  const cancelled = await ask(jano, 'POST', '/v1/responses/resp_gemma_1/cancel');
  caller.abort();

  assert.equal(cancelled.model, 'gemma');
  await untilShown(jano, ({ running }) => running.length === 0);
});

test('a stream is ended by its conversation while it takes the only slot', async (t) => {
  const jano = await startTwo(t);
  const caller = new AbortController();
  const streaming = await fetch(`${jano.url}/v1/chat/completions`, {
    method: 'POST',
    body: '{"model":"gemma","input":"hold"}',
    headers: { 'x-conversation-id': 'conv-1' },
    signal: caller.signal,
  });
  await streaming.body?.getReader().read();

  assert.equal((await ask(jano, 'DELETE', '/v1/stream?conv_id=conv-1')).model, 'gemma');
  caller.abort();
});

test('what refers to a conversation goes to the model that it is led with', async (t) => {
  const jano = await startTwo(t);
  const conversation = { 'X-Conversation-Id': 'conv-1' };
  await ask(jano, 'POST', '/v1/chat/completions', { model: 'gemma' }, conversation);

  const asked = [
    ask(jano, 'GET', '/v1/stream?conv_id=conv-1'),
    ask(jano, 'DELETE', '/v1/stream?from=3&conv_id=conv-1'),
    ask(jano, 'POST', '/v1/streams/lookup', { conversation_ids: [7, 'unknown', 'conv-1'] }),
    ask(jano, 'POST', '/v1/chat/completions', { messages: [] }, conversation),
  ];

  for (const answer of asked) assert.equal((await answer).model, 'gemma');
});

test('a running chat is steered by its id, at the model that is at it', async (t) => {
  const jano = await startTwo(t);
  const { id } = await ask(jano, 'POST', '/v1/chat/completions', { model: 'gemma' });

  const steered = await ask(jano, 'POST', '/v1/chat/completions/control', { id, action: 'stop' });

  assert.equal(steered.model, 'gemma');
});

test('a model that is named counts more than an id, and an id nobody knows is none', async (t) => {
  const jano = await startTwo(t);
  const { id } = await ask(jano, 'POST', '/v1/responses', { model: 'gemma' });

  const named = { model: 'qwen', previous_response_id: id };
  assert.equal((await ask(jano, 'POST', '/v1/responses', named)).model, 'qwen');
  assert.equal((await ask(jano, 'GET', `/v1/responses/${id}?model=qwen`)).model, 'qwen');
  for (const path of ['/v1/responses/resp_other', '/v1/responses/%zz', '/v1/stream?conv_id=']) {
    assert.equal((await ask(jano, 'GET', path)).model, 'qwen');
  }
});

test('a follow-up loads nothing: where its model has left memory it is told so', async (t) => {
  const url = await startBackend(t, (_req, res) => void res.end('{"id":"resp_1","model":"any"}'));
  const jano = await startJano(t, {
    models: ['qwen', 'gemma'].map((name) => ({ name, url, parallel: 1 })),
  });
  for (const [path, model] of [
    ['/v1/responses', 'gemma'],
    ['/v1/x', 'qwen'],
  ] as const) {
    await ask(jano, 'POST', path, { model });
  }

  const refused = await fetch(`${jano.url}/v1/responses/resp_1`, { method: 'DELETE' });

  assert.equal(refused.status, 503);
  assert.match(await refused.text(), /model \\"gemma\\" is not loaded/);
  await assertEnded(jano, ['200 served', '200 served', '503 rejected']);
});
