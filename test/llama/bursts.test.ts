import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStatus } from '../machine/statusView.ts';
import { openExampleRig } from '../rig/exampleRig.ts';
import { startLlamaRig } from '../rig/llamaRig.ts';
import { startJanoOn } from './rigJano.ts';
import { stream } from './streaming.ts';

const SIX = ['chat', 'code', 'chat', 'chat', 'code', 'code'];
const MODELS = ['chat', 'code'];

test('six mixed requests at once on real llama-servers, chat resident, cost one swap', async (t) => {
  const rig = await startLlamaRig(t, {
    models: { chat: { kind: 'chat' }, code: { kind: 'code' } },
  });
  if (rig === null) return;
  const jano = await startJanoOn(t, rig, MODELS, 'chat');
  const before = await readStatus(jano);

  const answers = await Promise.all(SIX.map((model) => stream(jano, model)));
  const after = await readStatus(jano);

  for (const [index, { text }] of answers.entries()) {
    assert.match(text, SIX[index] === 'chat' ? /^tiny-chat says:/ : /^def tiny_code/);
  }
  assert.deepEqual([before.currentModel, before.swapsTotal], ['chat', 0]);
  assert.deepEqual(
    [after.currentModel, after.swapsTotal, after.requestsServedTotal],
    ['code', 1, 6],
  );
  assert.equal(await rig.findPid('chat'), null);
});

test('six mixed requests at once on the example servers, chat resident, cost one swap', async (t) => {
  const rig = await openExampleRig(t, MODELS);
  const jano = await startJanoOn(t, rig, MODELS, 'chat');
  const before = await readStatus(jano);

  const answers = await Promise.all(SIX.map((model) => stream(jano, model)));
  const after = await readStatus(jano);

  for (const [index, { text }] of answers.entries()) {
    assert.match(text, new RegExp(`^example-${SIX[index]} says:`));
  }
  assert.deepEqual([before.currentModel, before.swapsTotal], ['chat', 0]);
  assert.deepEqual(
    [after.currentModel, after.swapsTotal, after.requestsServedTotal],
    ['code', 1, 6],
  );
});

test('30 requests over three real models, none resident, cost three swaps', async (t) => {
  const rig = await startLlamaRig(t, {
    models: { chat: { kind: 'chat' }, code: { kind: 'code' }, think: { kind: 'think' } },
  });
  if (rig === null) return;
  const jano = await startJanoOn(t, rig, ['chat', 'code', 'think']);
  const models = Array.from(
    { length: 30 },
    (_, index) => ['chat', 'code', 'think'][index % 3] ?? '',
  );

  await Promise.all(models.map((model) => stream(jano, model)));
  const { swapsTotal, requestsServedTotal } = await readStatus(jano);

  assert.equal(requestsServedTotal, 30);
  assert.ok(swapsTotal <= 3, `${swapsTotal} swaps`);
});
