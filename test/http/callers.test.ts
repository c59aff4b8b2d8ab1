import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import supertest from 'supertest';
import { untilRecorded } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { type RawConfig, type RunningJano, startJanoFor } from '../support/startJano.ts';

const NAMES =
  'caller requests served failed prompt_tokens gen_tokens generation_ms queue_ms swaps_caused last_seen';
const OWN_ROUTES = ['usage', 'swaps', 'status'];
const KEY = 'sk-Zm9vYmFyYmF6-0123456789';

test('/usage/callers sums up each caller, the last to be seen first', async (t) => {
  const jano = await open(t);

  await post(jano, { 'x-caller': 'anna' });
  await post(jano, { 'x-caller': 'ben' });
  await post(jano, { 'x-caller': 'anna' });
  await post(jano, { 'x-caller': 'anna' }, '/broken');
  await untilRecorded(jano, 4);
  const { body } = await supertest(jano.server).get('/usage/callers').expect(200);

  const [anna, ben] = body.callers;
  assert.equal(body.count, 2);
  const { queue_ms: queueMs, generation_ms: generationMs, last_seen: lastSeen, ...counts } = anna;
  assert.deepEqual(counts, {
    caller: 'anna',
    requests: 3,
    served: 2,
    failed: 1,
    prompt_tokens: 20,
    gen_tokens: 40,
    swaps_caused: 0,
  });
  assert.ok(queueMs >= 0 && generationMs >= 0 && Date.parse(lastSeen) > 0);
  assert.deepEqual(Object.keys(anna), Object.keys(ben));
  assert.equal(Object.keys(anna).join(' '), NAMES);
});

for (const [what, raw, headers, name] of [
  ['as a bearer token', {}, { authorization: `Bearer ${KEY}` }, /^key:[0-9a-f]{8}$/],
  ['as x-api-key', {}, { 'x-api-key': KEY }, /^key:[0-9a-f]{8}$/],
  ['as its own name', {}, { 'x-api-key': KEY, 'x-caller': KEY }, /^key:[0-9a-f]{8}$/],
  [
    'in the header that names callers',
    { callers: { header: 'Authorization' } },
    { authorization: `Bearer ${KEY}` },
    /^key:[0-9a-f]{8}$/,
  ],
  [
    'that has a name, in the header that names callers',
    { callers: { header: 'X-API-Key' }, auth: { keys: { anna: KEY }, open: OWN_ROUTES } },
    { 'x-api-key': KEY },
    /^anna$/,
  ],
] as const) {
  test(`a key sent ${what} is shown nowhere`, async (t) => {
    const jano = await open(t, raw);

    await post(jano, headers, `/v1/chat/completions?api_key=${KEY}`);
    await untilRecorded(jano, 1);

    const { body } = await supertest(jano.server).get('/usage/callers').expect(200);
    assert.match(body.callers[0].caller, name);
    for (const path of ['/usage', '/usage/callers', '/swaps', '/status']) {
      const { text } = await supertest(jano.server).get(path).expect(200);
      assert.doesNotMatch(text, /Zm9vYmFyYmF6/, path);
    }
  });
}

test('a long name is cut, between letters', async (t) => {
  const jano = await open(t);

  await post(jano, { 'x-session-id': Buffer.from('é'.repeat(5000)).toString('latin1') });
  await untilRecorded(jano, 1);

  assert.equal(jano.snapshot().ledger.callers.all[0]?.caller, 'é'.repeat(120));
});

/** Jano in front of a backend that reports 10 tokens of prompt and 20 generated, or breaks off. */
async function open(t: TestContext, raw: RawConfig = {}): Promise<RunningJano> {
  const url = await startBackend(t, (req, res) => {
    if (req.url === '/broken') return void req.socket.resetAndDestroy();
    res.setHeader('content-type', 'application/json');
    res.end('{"usage":{"prompt_tokens":10,"completion_tokens":20}}');
  });
  return startJanoFor(t, url, raw);
}

async function post(
  jano: RunningJano,
  headers: Readonly<Record<string, string>>,
  path = '/v1/chat/completions',
): Promise<void> {
  await (await fetch(jano.url + path, { method: 'POST', body: '{}', headers })).arrayBuffer();
}
