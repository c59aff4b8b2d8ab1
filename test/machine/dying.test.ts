import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startJanoOn } from '../llama/rigJano.ts';
import { openMoodyRig } from '../rig/moodyRig.ts';
import { until } from '../rig/polling.ts';
import type { SwapRig } from '../rig/swapRig.ts';
import { ask, goodReply, type Reachable } from './asking.ts';
import { readStatus, type StatusView, untilStatus } from './statusView.ts';

test('a server whose health comes late is waited for', async (t) => {
  const rig = await openMoodyRig(t, { a: ['--health 503,503,500,503,200'] });
  const jano = await startJanoOn(t, rig, ['a']);

  const reply = await ask(jano, 'a');

  assert.deepEqual(reply, goodReply('a'));
  assert.equal((await readStatus(jano)).swapsTotal, 1);
});

test('a server whose health never comes costs its callers a 503', async (t) => {
  const rig = await openMoodyRig(t, { a: ['--health 503'] });
  const jano = await startJanoOn(t, rig, ['a'], null, { swap: { timeout: '3s' } });

  const { status, text } = await ask(jano, 'a');

  assert.equal(status, 503);
  assert.match(text, /timed out after 3000 ms: http:\S+\/health answered 503$/);
});

test('a server whose health flaps while it serves is left alone', async (t) => {
  const rig = await openMoodyRig(t, { a: ['--health 503,200,503'] });
  const jano = await startJanoOn(t, rig, ['a']);

  const replies = [await ask(jano, 'a'), await ask(jano, 'a'), await ask(jano, 'a')];

  assert.deepEqual(replies, ['a', 'a', 'a'].map(goodReply));
  assert.equal((await readStatus(jano)).swapsTotal, 1);
});

test('a server that broke off and is not healthy just then is started anew', async (t) => {
  const rig = await openMoodyRig(t, { a: ['--health 200,503,200 --breaks 1'] });
  const jano = await startJanoOn(t, rig, ['a']);

  const replies = [await ask(jano, 'a'), await ask(jano, 'a')];

  assert.equal(replies[0]?.status, 502);
  assert.deepEqual(replies[1], goodReply('a'));
  assert.equal((await readStatus(jano)).swapsTotal, 2);
});

test('a server that dies as soon as its health held costs who waited a 502, the next one starts it anew', async (t) => {
  const rig = await openMoodyRig(t, { a: ['--healths 1'] });
  const jano = await startJanoOn(t, rig, ['a']);

  const replies = [await ask(jano, 'a'), await ask(jano, 'a')];

  assert.equal(replies[0]?.status, 502);
  assert.deepEqual(replies[1], goodReply('a'));
  assert.equal((await readStatus(jano)).swapsTotal, 2);
});

test('a server that dies between its swap and the first request is started anew', async (t) => {
  const rig = await openMoodyRig(t, { a: [] });
  const jano = await startJanoOn(t, rig, ['a'], null, { top: { preload: 'a' } });
  await untilStatus(jano, 'it is loaded', ({ currentModel }) => currentModel === 'a');
  await kill(rig, 'a');

  const replies = [await ask(jano, 'a'), await ask(jano, 'a')];

  assert.equal(replies[0]?.status, 502);
  assert.deepEqual(replies[1], goodReply('a'));
});

test('a server that dies at its first request is down until the next one has started it anew', async (t) => {
  const rig = await openMoodyRig(t, { a: ['--posts 0'] });
  const jano = await startJanoOn(t, rig, ['a']);

  const first = await ask(jano, 'a');
  const between = await untilStatus(
    jano,
    'it is gone',
    ({ currentModel }) => currentModel === null,
  );
  const second = await ask(jano, 'a');
  const after = await readStatus(jano);

  assert.equal(first.status, 502);
  assert.deepEqual(second, goodReply('a'));
  assert.deepEqual([between.backendHealth['a'], between.swapsTotal], ['down', 1]);
  assert.deepEqual([after.backendHealth['a'], after.swapsTotal], ['up', 2]);
});

test('a server that dies while it serves many is started anew once', async (t) => {
  const rig = await openMoodyRig(t, { a: ['--posts 2'] });
  const jano = await startJanoOn(t, rig, ['a']);

  const replies = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => ask(jano, 'a')));
  const next = await ask(jano, 'a');

  for (const { status } of replies) assert.match(`${status}`, /^(200|502)$/);
  assert.deepEqual(next, goodReply('a'));
  assert.equal((await readStatus(jano)).swapsTotal, 2);
});

test('a server that is gone when its ttl is over makes its unload fail, and the next request starts it anew', async (t) => {
  const rig = await openMoodyRig(t, { a: [] });
  const jano = await startJanoOn(t, rig, ['a'], null, { model: { ttl: '3s' } });
  await ask(jano, 'a');
  await kill(rig, 'a');

  const { lastError } = await untilFoundDead(jano);
  const reply = await ask(jano, 'a');

  assert.match(lastError?.message ?? '', /^unload of "a" failed: .*a does not run$/);
  assert.deepEqual(reply, goodReply('a'));
});

test('a server that ends at an unload that fails all the same is started anew by the next request', async (t) => {
  const rig = await openMoodyRig(t, { a: [] });
  await writeFile(join(rig.stateFolder, 'unload-fails'), '');
  const jano = await startJanoOn(t, rig, ['a'], null, { model: { ttl: '300ms' } });
  await ask(jano, 'a');

  await untilFoundDead(jano);
  const reply = await ask(jano, 'a');

  assert.deepEqual(reply, goodReply('a'));
});

function untilFoundDead(jano: Reachable): Promise<StatusView> {
  return untilStatus(jano, 'it was found dead', (now) => now.backendHealth['a'] === 'down');
}

async function kill(rig: SwapRig, model: string): Promise<void> {
  const pid = await rig.findPid(model);
  if (pid === null) throw new Error(`the server of "${model}" does not run`);
  process.kill(pid, 'SIGKILL');
  await until('it has ended', async () => (await rig.findPid(model)) === null);
}
