import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import supertest from 'supertest';
import { endingsOf, untilShown } from '../support/aftermath.ts';
import { REFUSING_URL, startBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { type RunningJano, startJano, startJanoFor } from '../support/startJano.ts';

/** Jano with a resident, a pinned and an unloaded model. */
async function startModels(t: TestContext): Promise<RunningJano> {
  const urls = [0, 1].map(() => startBackend(t, (_req, res) => res.writeHead(500).end()));
  const [url, pinnedUrl] = await Promise.all(urls);
  return startJano(t, {
    models: [
      {
        name: 'qwen',
        url,
        parallel: 4,
        label: 'Qwen 3',
        aliases: ['chat', 'org/Qwen:Q4'],
        ttl: '1h',
      },
      { name: 'whisper', url: pinnedUrl, parallel: 1, pinned: true },
      { name: 'modèle-é', url: REFUSING_URL },
    ],
  });
}

function namesIn({ models }: { models: { name: string }[] }): string[] {
  return models.map(({ name }) => name);
}

test('GET / tells a program what there is, and sends a browser to the page', async (t) => {
  const { server } = await startModels(t);

  const told = await supertest(server).get('/').expect(200);
  const sent = await supertest(server).get('/').set('Accept', 'text/html,*/*;q=0.8').expect(302);

  assert.equal(told.body.name, 'jano');
  assert.deepEqual([told.body.version, told.body.routes.status], ['0.0.0-test', '/status']);
  assert.equal(sent.headers['location'], '/ui');
});

test('GET /health is ok while Jano takes requests', async (t) => {
  const { server } = await startModels(t);

  const { body } = await supertest(server).get('/health?from=k8s').expect(200);

  assert.deepEqual(body, { ok: true, status: 'ok' });
});

test('GET /v1/models and /models list all models, with what is loaded', async (t) => {
  const { server } = await startModels(t);

  for (const path of ['/v1/models', '/models', '/v1/models?a=1']) {
    const { body } = await supertest(server).get(path).expect(200).expect('Content-Type', /json/);
    assert.equal(body.object, 'list');
    const [qwen, whisper, other] = body.data;
    assert.deepEqual(
      { ...qwen, created: Number.isInteger(qwen.created) },
      {
        id: 'qwen',
        object: 'model',
        created: true,
        owned_by: 'jano',
        label: 'Qwen 3',
        aliases: ['chat', 'org/Qwen:Q4'],
        status: { value: 'loaded' },
      },
    );
    assert.deepEqual([whisper.id, whisper.status], ['whisper', { value: 'loaded' }]);
    assert.deepEqual([other.id, other.status], ['modèle-é', { value: 'unloaded' }]);
  }
});

test('GET /v1/models/{id} is one of them, by any of its names, escaped or not', async (t) => {
  const { server } = await startModels(t);

  for (const [id, name] of Object.entries({
    qwen: 'qwen',
    'QWEN:latest': 'qwen',
    'org/Qwen:Q4': 'qwen',
    'org%2Fqwen%3aq4': 'qwen',
    'mod%C3%A8le-%C3%A9?x': 'modèle-é',
  })) {
    const { body } = await supertest(server).get(`/v1/models/${id}`).expect(200);
    assert.equal(body.id, name);
    assert.equal((await supertest(server).get(`/models/${id}`)).body.id, name);
  }
});

test('a model that is not there is a 404, whatever its name', async (t) => {
  const { server } = await startModels(t);

  for (const id of ['gpt-9', '%zz', '__proto__', 'constructor', 'qwen/x', 'qwen%00', '%20']) {
    const { body } = await supertest(server).get(`/v1/models/${id}`).expect(404);
    assert.equal(body.error.code, 'model_not_found');
    assert.match(body.error.message, /configured are: qwen, whisper, modèle-é/);
  }
});

test('GET /api/tags and /api/ps show all and the resident models as Ollama does', async (t) => {
  const { server } = await startModels(t);

  const tags = await supertest(server).get('/api/tags').expect(200);
  const processes = await supertest(server).get('/api/ps').expect(200);

  assert.deepEqual(namesIn(tags.body), ['qwen', 'whisper', 'modèle-é']);
  assert.deepEqual(namesIn(processes.body), ['qwen', 'whisper']);
  const [first] = tags.body.models;
  assert.equal(first.model, 'qwen');
  assert.match(first.digest, /^[0-9a-f]{64}$/);
  assert.ok(Date.parse(first.modified_at) > 0);
  assert.ok(Date.parse(processes.body.models[0].expires_at) > Date.now());
  assert.equal(processes.body.models[1].expires_at, null);
});

test('GET /api/version is Jano’s', async (t) => {
  const { server } = await startModels(t);

  const { body } = await supertest(server).get('/api/version').expect(200);

  assert.deepEqual(body, { version: '0.0.0-test' });
});

test('HEAD of Jano’s own routes is answered by itself, without a body', async (t) => {
  const jano = await startModels(t);

  const lists = ['/usage', '/usage/callers', '/swaps', '/metrics'];
  for (const path of [
    '/',
    '/health',
    '/status',
    '/v1/models',
    '/models/chat',
    '/api/tags',
    ...lists,
  ]) {
    const { headers, text } = await supertest(jano.server).head(path).expect(200);
    assert.ok(Number(headers['content-length']) > 0);
    assert.equal(text, undefined);
  }
  assert.deepEqual(endingsOf(jano), []);
});

test('Jano’s own routes ask no backend, take no place in the queue and make no record', async (t) => {
  const asked: (string | undefined)[] = [];
  const url = await startBackend(t, (req) => void asked.push(req.url));
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });
  for (const path of ['/running', '/waiting']) {
    await openRaw(t, jano.port, `POST ${path} HTTP/1.1\r\nHost: jano\r\n\r\n`);
  }
  await untilShown(jano, (shown) => shown.waiting.length === 1 && asked.length === 1);

  for (const path of [
    '/',
    '/health',
    '/status',
    '/v1/models',
    '/api/tags',
    '/api/ps',
    '/models/x',
    '/usage',
    '/usage/callers',
    '/swaps',
    '/metrics',
  ]) {
    await supertest(jano.server).get(path);
  }

  assert.equal(asked.length, 1);
  assert.deepEqual(endingsOf(jano), []);
});

test('what only looks like a route of Jano’s own goes to the backend', async (t) => {
  const url = await startBackend(t, (req, res) => res.end(`${req.method} ${req.url}`));
  const jano = await startJano(t, { models: [{ name: 'qwen', url, parallel: 1 }] });

  for (const target of ['POST /v1/models', 'PUT /status', 'GET //status']) {
    const [method = '', path] = target.split(' ');
    const response = await fetch(jano.url + path, { method });
    assert.equal(await response.text(), target);
  }
});

test('a route of Jano’s own may be written with a slash behind it', async (t) => {
  const jano = await startJanoFor(t, REFUSING_URL);

  for (const path of ['/status/', '/health/', '/v1/models/']) {
    assert.equal((await fetch(jano.url + path)).status, 200, path);
  }
});

test('/usage, /swaps and /metrics are Jano’s own under every method, but answer to GET and HEAD only', async (t) => {
  const jano = await startJanoFor(t, REFUSING_URL);

  for (const path of ['/usage', '/usage/callers/', '/Swaps?limit=1', '/metrics']) {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await fetch(jano.url + path, { method });
      assert.equal(response.status, 405, `${method} ${path}`);
      assert.equal(response.headers.get('allow'), 'GET, HEAD');
      assert.match(await response.text(), /"code":"method_not_allowed"/);
    }
  }
  for (const path of ['/usage/caller', '/swaps/1?x', '/usage/callers/anna', '/metrics/x']) {
    const response = await fetch(jano.url + path);
    assert.equal(response.status, 404, path);
    assert.match(await response.text(), /jano has nothing at .*"code":"not_found"/);
  }
  assert.deepEqual(endingsOf(jano), []);
});

test('a route of Jano’s own that is not built yet does not reach a backend', async (t) => {
  const url = await startBackend(t, (_req, res) => res.end('backend'));
  const jano = await startJanoFor(t, url);

  for (const path of ['/admin', '/admin/swap']) {
    const response = await fetch(jano.url + path, { method: 'POST', body: '{"model":"qwen"}' });
    assert.equal(response.status, 501, path);
    assert.match(await response.text(), /not_implemented/);
  }
  const passed = await fetch(`${jano.url}/upstream/qwen/metrics`);
  assert.equal(await passed.text(), 'backend');
});
