import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJanoOn } from '../llama/rigJano.ts';
import { openMoodyRig } from '../rig/moodyRig.ts';
import { ask, goodReply } from './asking.ts';
import { readStatus } from './statusView.ts';

const MODELS = ['chat', 'code'];

test('a request is not sent to the old server that still answers on the same port', async (t) => {
  const rig = await openMoodyRig(t, { chat: ['--lingers 5'], code: [] }, { onOnePort: true });
  const jano = await startJanoOn(t, rig, MODELS);

  const replies = [await ask(jano, 'chat'), await ask(jano, 'code'), await ask(jano, 'chat')];

  assert.deepEqual(replies, ['chat', 'code', 'chat'].map(goodReply));
  assert.equal((await readStatus(jano)).swapsTotal, 3);
});

test('an old server that never goes is named when the new one is given up', async (t) => {
  const rig = await openMoodyRig(t, { chat: ['--lingers 1000000'], code: [] }, { onOnePort: true });
  const jano = await startJanoOn(t, rig, MODELS, null, { swap: { timeout: '4s' } });
  await ask(jano, 'chat');

  const { status, text } = await ask(jano, 'code');

  assert.equal(status, 503);
  assert.match(text, /swap of "code" timed out after 4000 ms: http:\S+ still answers as "chat"$/);
});
