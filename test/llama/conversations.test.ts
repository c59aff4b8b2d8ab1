import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLlamaRig } from '../rig/llamaRig.ts';
import { startJano } from '../support/startJano.ts';

test('a stream that was left goes on at its server, and is read again and deleted by its conversation', async (t) => {
  const rig = await startLlamaRig(t, {
    models: { chat: { kind: 'chat' }, code: { kind: 'code', words: 500 } },
  });
  if (rig === null) return;
  await rig.run(['chat']);
  const jano = await startJano(
    t,
    {
      memory: { budget: 2 },
      swap: { command: rig.command, timeout: '60s', poll: '20ms' },
      models: ['chat', 'code'].map((name) => ({ name, url: rig.urlOf(name) })),
    },
    (config) => ({ ...config, swap: { ...config.swap, environment: rig.environment } }),
  );
  const post = (model: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal) =>
    fetch(`${jano.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'hi' }] }),
      signal: signal ?? null,
    });
  const caller = new AbortController();
  const left = await post('code', { 'X-Conversation-Id': 'conv-1' }, caller.signal);
  await left.body?.getReader().read();
  caller.abort();
  await (await post('chat', {})).text();

  const resumed = await fetch(`${jano.url}/v1/stream?conv_id=conv-1`);
  const text = await resumed.text();
  const deleted = await fetch(`${jano.url}/v1/stream?conv_id=conv-1`, { method: 'DELETE' });

  assert.match(text, /"model":"code"[^]*data: \[DONE\]/);
  assert.equal(deleted.status, 204);
});
