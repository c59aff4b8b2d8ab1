import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { Backend } from '../../src/core/backend.ts';
import { askHealth, type Health } from '../../src/swap/health.ts';
import { backend } from '../support/backend.ts';
import { DEAD_URL, findUrl, serve } from './workshop.ts';

/** Asks a backend at `url` once. */
function ask(url: string, more: Partial<Backend> = {}, limitMs = 20_000): Promise<Health> {
  return askHealth(backend('qwen', url, more), limitMs, new AbortController().signal);
}

/** The health checks that look for "qwen". */
const byText = { health: { path: '/api/ps', contains: 'qwen' } };

/** A server that sends these bytes to whoever asks and hangs up. */
function serveBytes(t: TestContext, bytes: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(bytes));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  return findUrl(server);
}

/** A server at a port that fetch refuses to ask; undefined when all of them are taken. */
async function serveAtBadPort(t: TestContext): Promise<string | undefined> {
  for (const port of [6666, 6667, 6668, 6669, 6697, 10_080]) {
    const url = await serve(t, (_, response) => response.end(), port).catch(() => undefined);
    if (url !== undefined) return url;
  }
  return undefined;
}

test('any 2xx is healthy when no text is asked for', async (t) => {
  const url = await serve(t, (_, response) => response.writeHead(204).end());

  assert.deepEqual(await ask(url), { isHealthy: true, seen: `${url}/health answered 204` });
});

test('a model that is loading is not healthy', async (t) => {
  const url = await serve(t, (_, response) => response.writeHead(503).end('Loading model'));

  assert.deepEqual(await ask(url), { isHealthy: false, seen: `${url}/health answered 503` });
});

test('a refused connection is not healthy', async () => {
  const url = DEAD_URL;

  assert.deepEqual(await ask(url), { isHealthy: false, seen: `${url}/health: connection refused` });
});

test('a server that hangs is not healthy', async (t) => {
  const url = await serve(t, () => {});

  const health = await ask(url, {}, 100);

  assert.deepEqual(health, { isHealthy: false, seen: `${url}/health: no answer` });
});

test('a server that speaks something else than HTTP is not healthy', async (t) => {
  const url = await serveBytes(t, 'SSH-2.0-OpenSSH_9.2\r\n');

  const health = await ask(url);

  assert.deepEqual(health, { isHealthy: false, seen: `${url}/health: the answer is not HTTP` });
});

test('a server that hangs up without an answer is not healthy', async (t) => {
  const health = await ask(await serveBytes(t, ''));

  assert.equal(health.isHealthy, false);
});

test('an answer that switches protocols is not healthy', async (t) => {
  const head = 'HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n';

  const health = await ask(await serveBytes(t, head));

  assert.equal(health.isHealthy, false);
});

test('a redirect is not followed and is not healthy', async (t) => {
  const url = await serve(t, (request, response) => {
    if (request.url === '/health') response.writeHead(302, { location: '/login' });
    response.end();
  });

  assert.deepEqual(await ask(url), { isHealthy: false, seen: `${url}/health answered 302` });
});

test('a text that is looked for and there is healthy', async (t) => {
  const url = await serve(t, (_, response) => response.end('{"models": ["qwen"]}'));

  assert.equal((await ask(url, byText)).isHealthy, true);
});

test('a text that is looked for and missing is not healthy, and is named', async (t) => {
  const url = await serve(t, (_, response) => response.end('gemma'));

  const health = await ask(url, byText);

  assert.deepEqual(health, { isHealthy: false, seen: `${url}/api/ps answered 200 without "qwen"` });
});

test('a text in an error answer is not healthy', async (t) => {
  const url = await serve(t, (_, response) => response.writeHead(404).end('no qwen here'));

  assert.equal((await ask(url, byText)).isHealthy, false);
});

test('a text after the first MiB is not looked for', async (t) => {
  const url = await serve(t, (_, response) => response.end(`${'x'.repeat(2 ** 20)}qwen`));

  assert.equal((await ask(url, byText)).isHealthy, false);
});

test('an endless answer is read no further than to its limit', async (t) => {
  let sentBytes = 0;
  const closed = Promise.withResolvers<void>();
  const url = await serve(t, (_, response) => {
    const fill = (): void => {
      do sentBytes += 65_536;
      while (response.write('x'.repeat(65_536)));
    };
    response.on('drain', fill).on('close', closed.resolve);
    fill();
  });

  const health = await ask(url);

  await closed.promise;
  assert.equal(health.isHealthy, true);
  assert.ok(sentBytes < 2 ** 25);
});

test('a 2xx answer whose body hangs is judged by what came of it', async (t) => {
  const url = await serve(t, (_, response) => response.write('qwen, '));

  assert.equal((await ask(url, byText, 300)).isHealthy, true);
});

test('the path of the URL is kept, and the headers of the backend are sent', async (t) => {
  const asked: unknown[] = [];
  const url = await serve(t, (request, response) => {
    asked.push(request.url, request.headers.authorization, request.headers.connection);
    response.end();
  });
  const headers = { Authorization: 'Bearer key' };

  await ask(`${url}/gpu/1`, { headers, health: { path: 'health?full=1', contains: null } });

  assert.deepEqual(asked, ['/gpu/1/health?full=1', 'Bearer key', 'close']);
});

test('a header that cannot be sent is not healthy and rejects nothing', async () => {
  const health = await ask('http://127.0.0.1:9', { headers: { 'X-Key': 'a\nb' } });

  assert.match(health.seen, /Invalid character in header/);
});

test('a server at a port that browsers refuse is healthy', async (t) => {
  const url = await serveAtBadPort(t);
  if (url === undefined) return t.skip('all such ports are taken');

  assert.equal((await ask(url)).isHealthy, true);
});
