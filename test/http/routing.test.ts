import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { untilRecorded } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { type RawConfig, type RunningJano, startJano } from '../support/startJano.ts';

/** Every JSON route of the manual. */
const JSON_ROUTES = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/responses',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/rerank',
  '/v1/rerank',
  '/reranking',
  '/v1/reranking',
  '/score',
  '/completion',
  '/completions',
  '/chat/completions',
  '/embedding',
  '/embeddings',
  '/infill',
  '/tokenize',
  '/detokenize',
  '/apply-template',
  '/api/chat',
  '/api/generate',
  '/api/embed',
  '/api/embeddings',
  '/api/show',
  '/v1/audio/speech',
  '/v1/images/generations',
];

const MODELS = [
  { name: 'qwen' },
  { name: 'gemma', aliases: ['Small'] },
  { name: 'org/Name:Q4' },
  { name: 'org' },
  { name: 'modèle-é' },
];

/** Jano in front of several resident models; each answers with its name and what it was asked. */
async function startModels(t: TestContext, raw: RawConfig = {}): Promise<RunningJano> {
  const models = MODELS.map(async (model) => {
    const url = await startBackend(t, async (req, res) => {
      const body = (await req.toArray()).join('');
      res.end(`${model.name} ${req.method} ${req.url} ${body}`);
    });
    return { ...model, url, pinned: true };
  });
  return startJano(t, { models: await Promise.all(models), ...raw });
}

async function post(jano: RunningJano, path: string, body: string, headers = {}): Promise<string> {
  const response = await fetch(jano.url + path, { method: 'POST', body, headers });
  return response.text();
}

test('a POST to each JSON route reaches the model that its body names, unchanged', async (t) => {
  const jano = await startModels(t);
  const body = '{ "messages" : [], "seed": 9007199254740993, "model":"gemma", "t": 1.0 }\n';

  for (const route of JSON_ROUTES) {
    const path = `${route}?a=1&a=2&b=%20+c`;
    assert.equal(await post(jano, path, body), `gemma POST ${path} ${body}`);
  }
});

test('an alias, another case and a missing or extra :latest mean the same model', async (t) => {
  const jano = await startModels(t);

  for (const name of ['GEMMA', 'small', 'gemma:latest', 'Small:LATEST']) {
    assert.match(await post(jano, '/x', JSON.stringify({ model: name })), /^gemma /);
  }
});

test('names with a slash, a colon or letters beyond ASCII are found however they are written', async (t) => {
  const jano = await startModels(t);

  assert.match(await post(jano, '/x', '{"model":"ORG/name:q4"}'), /^org\/Name:Q4 /);
  assert.match(await post(jano, '/x', '{"model":"modèle-é"}'), /^modèle-é /);
  assert.match(await post(jano, '/x', '{"model":"MOD\\u00c8LE-\\u00E9"}'), /^modèle-é /);
  assert.match(await post(jano, '/x?model=mod%C3%A8le-%c3%a9', ''), /^modèle-é /);
  const header = Buffer.from('modèle-é').toString('latin1');
  assert.match(await post(jano, '/x', '', { 'x-model': header }), /^modèle-é /);
});

test('/upstream/<model>/ leads to that model, and the rest of the path goes on as it is', async (t) => {
  const jano = await startModels(t);
  const rests: Record<string, string> = {
    '/upstream/gemma/v1/chat/completions?a=1': 'gemma GET /v1/chat/completions?a=1 ',
    '/upstream/Small/%2Fx//y%20z?model=qwen': 'gemma GET /%2Fx//y%20z?model=qwen ',
    '/upstream/gemma': 'gemma GET / ',
    '/upstream/gemma?a': 'gemma GET /?a ',
    '/upstream/gemma/upstream/qwen/x': 'gemma GET /upstream/qwen/x ',
    '/upstream/org/name:q4/x': 'org/Name:Q4 GET /x ',
    '/upstream/org%2fName%3AQ4/x': 'org/Name:Q4 GET /x ',
    '/upstream/org/other/x': 'org GET /other/x ',
    '/upstream/mod%C3%A8le-%C3%A9/r%C3%A8st': 'modèle-é GET /r%C3%A8st ',
  };

  for (const [path, expected] of Object.entries(rests)) {
    assert.equal(await (await fetch(jano.url + path)).text(), expected);
  }
});

test('the path names the model before X-Model, that before the body, that before ?model=', async (t) => {
  const jano = await startModels(t);
  const body = '{"model":"org"}';
  const header = { 'x-model': 'gemma' };

  assert.match(await post(jano, '/upstream/qwen/x?model=org', body, header), /^qwen /);
  assert.match(await post(jano, '/x?model=qwen', body, header), /^gemma /);
  assert.match(await post(jano, '/x?model=qwen', body), /^org /);
  assert.match(await post(jano, '/x?model=qwen', '{"a":1}'), /^qwen /);
});

test('of two X-Model headers or two ?model= the first counts', async (t) => {
  const jano = await startModels(t);
  const head = 'GET /x HTTP/1.1\r\nHost: jano\r\nX-Model: gemma\r\nX-Model: qwen\r\n\r\n';

  const caller = await openRaw(t, jano.port, head);

  await caller.until((text) => text.includes('gemma GET /x'));
  assert.match(await post(jano, '/x?model=gemma&model=qwen', ''), /^gemma /);
});

test('a request that names no model goes to the default one', async (t) => {
  const jano = await startModels(t, { default: 'small' });

  assert.match(await post(jano, '/x', '{"prompt":"hi"}'), /^gemma /);
  assert.match(await post(jano, '/x', ''), /^gemma /);
  assert.match(await (await fetch(`${jano.url}/props`)).text(), /^gemma /);
});

test('without a default it goes to the resident model that was used last', async (t) => {
  const jano = await startModels(t);
  await post(jano, '/x', '{"model":"org"}');
  await untilRecorded(jano, 1);

  assert.match(await post(jano, '/x', '{"prompt":"hi"}'), /^org /);
});

test('where none is resident, a POST without a model goes to the only one there is', async (t) => {
  let isUp = false;
  const url = await startBackend(t, (_req, res) => {
    res.statusCode = isUp ? 200 : 503;
    res.end();
  });
  const jano = await startJano(t, { models: [{ name: 'only', url, health: '/ready' }] });
  isUp = true;

  const response = await fetch(`${jano.url}/x`, { method: 'POST' });

  assert.equal(response.status, 200);
});

test('where several could be meant and none is resident, the answer says how to name one', async (t) => {
  const url = await startBackend(t, (_req, res) => res.writeHead(503).end());
  const models = ['one', 'two'].map((name) => ({ name, url, health: '/never' }));
  const jano = await startJano(t, { models });

  const response = await fetch(`${jano.url}/x`, { method: 'POST', body: '{"prompt":"hi"}' });

  assert.equal(response.status, 404);
  assert.match(await response.text(), /names no model.*model=.*X-Model.*one, two/);
});
