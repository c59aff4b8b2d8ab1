import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readChat } from '../rig/chatAnswer.ts';
import { startLlamaRig } from '../rig/llamaRig.ts';
import { askStatus, until, untilHealthy } from '../rig/polling.ts';
import type { SwapRig } from '../rig/swapRig.ts';

const CHAT_AND_CODE = { chat: { kind: 'chat' }, code: { kind: 'code' } } as const;

test('one real model takes the place of the other', async (t) => {
  const rig = await startLlamaRig(t, { models: CHAT_AND_CODE });
  if (rig === null) return;
  await rig.run(['chat']);
  const chat = await ask(rig, 'chat');

  const end = await rig.run(['code']);

  assert.deepEqual(end, { code: 0, stdout: '', stderr: '' });
  assert.match(chat, /^tiny-chat says:/);
  assert.match(await ask(rig, 'code'), /^def tiny_code/);
  assert.equal(await askStatus(`${rig.urlOf('chat')}/health`), null);
});

test('status and unload know the real server', async (t) => {
  const rig = await startLlamaRig(t, { models: CHAT_AND_CODE });
  if (rig === null) return;
  await rig.run(['chat']);

  const loaded = await rig.run(['status']);
  const unload = await rig.run(['unload', 'chat']);
  const unloaded = await rig.run(['status']);

  assert.equal(loaded.stdout, 'chat: loaded\n');
  assert.equal(unload.code, 0);
  assert.deepEqual(unloaded, { code: 0, stdout: '', stderr: '' });
});

test('a real server that cannot load its model fails the swap with its own words', async (t) => {
  const rig = await startLlamaRig(t, { models: CHAT_AND_CODE });
  if (rig === null) return;
  const { port } = new URL(rig.urlOf('chat'));
  const broken = { LLAMA_MODELS: `chat ${port} -m '/no such file.gguf'` };

  const said: string[] = [];
  // On a busy machine the server may take longer to fail than the script looks at it.
  await until('the script fails', async () => {
    const end = await rig.run(['chat'], broken);
    said.push(end.stderr);
    return end.code !== 0;
  });

  assert.match(said.at(-1) ?? '', /chat did not start: [^]*no such file\.gguf/);
});

test('a real server in the middle of an answer is stopped all the same', async (t) => {
  const rig = await startLlamaRig(t, { models: CHAT_AND_CODE, args: '-c 4096' });
  if (rig === null) return;
  await rig.run(['chat']);
  await untilHealthy(rig.urlOf('chat'));
  const body = JSON.stringify({ prompt: 'Go on.', ignore_eos: true, n_predict: -1, stream: true });
  await fetch(`${rig.urlOf('chat')}/completion`, { method: 'POST', body });

  const end = await rig.run(['code']);

  assert.equal(end.code, 0);
  assert.equal(await rig.findPid('chat'), null);
  await untilHealthy(rig.urlOf('code'));
});

async function ask(rig: SwapRig, model: string): Promise<string> {
  await untilHealthy(rig.urlOf(model));
  const response = await fetch(`${rig.urlOf(model)}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Who are you?' }] }),
  });
  return (await readChat(response)).choices[0].message.content;
}
