import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { z } from 'zod';
import { findFreePorts } from '../../src/cli/freePorts.ts';
import { playSteadily } from '../../src/cli/steadyLoad.ts';
import { type Answer, startBackend } from '../support/fakeBackend.ts';
import { createFolder } from '../support/folder.ts';
import { listen } from '../support/listening.ts';
import { startProgram } from '../support/program.ts';
import { startJano } from '../support/startJano.ts';

const NO_RESTS = { betweenSteps: 1, betweenRounds: 1, untilRetry: 1 };
const requestBody = z.object({ model: z.string(), stream: z.boolean() });
const ok: Answer = (_req, res) => res.end('{}');

/** The load on that Jano, and the lines that it prints, one by one. */
function startLoad(t: TestContext, url: string) {
  const stopping = new AbortController();
  // The test's own signal comes after a failure, too, when not every hook does.
  const signal = AbortSignal.any([t.signal, stopping.signal]);
  const lines: string[] = [];
  let told = Promise.withResolvers<void>();
  const print = (text: string): void => {
    lines.push(text);
    told.resolve();
  };
  const ended = playSteadily(url, print, signal, NO_RESTS);
  return {
    ended,
    stop: () => stopping.abort(),
    async nextLine(): Promise<string> {
      while (lines.length === 0) {
        await told.promise;
        told = Promise.withResolvers();
      }
      return lines.shift() ?? '';
    },
  };
}

async function startThreeModels(t: TestContext, answer: Answer = ok) {
  const url = await startBackend(t, answer);
  const models = ['chat', 'code', 'story'].map((name) => ({ name, url, pinned: true }));
  return startJano(t, { models });
}

test('the steady load asks every model in every round, streamed and not, as three callers', async (t) => {
  const asked: string[] = [];
  const jano = await startThreeModels(t, async (req, res) => {
    // Jano itself asks how many requests the backend takes at once.
    if (req.method === 'GET') return res.end('{}');
    const { model, stream } = requestBody.parse(await json(req));
    asked.push(`${String(req.headers['x-caller'])} ${model} ${stream}`);
    res.end('{}');
  });
  const load = startLoad(t, jano.url);

  const [first, second] = [await load.nextLine(), await load.nextLine()];

  assert.match(first, /^round 1: agent 3 × code, editor 1 × story, person 1 × chat: 5 answered in/);
  assert.match(second, /^round 2: agent 3 × story, editor 1 × chat, person 1 × code: 5 answered/);
  assert.deepEqual(asked.slice(0, 5).toSorted(), [
    'agent code true',
    'agent code true',
    'agent code true',
    'editor story false',
    'person chat true',
  ]);
});

test('the steady load tells how many of its requests got no answer, and why', async (t) => {
  const jano = await startThreeModels(t, (req, res) => {
    res.statusCode = req.headers['x-caller'] === 'editor' ? 500 : 200;
    res.end('{}');
  });
  const load = startLoad(t, jano.url);

  assert.match(await load.nextLine(), /: 4 answered, 1 not \(500\) in [\d.]+ s\n$/);
  assert.match(await load.nextLine(), /^round 2: /);
});

test('the steady load waits for a Jano that is away, and goes on when it is back', async (t) => {
  const server = createServer((req, res) => {
    const models = { data: [{ id: 'chat' }] };
    res.end(JSON.stringify(req.url === '/v1/models' ? models : {}));
  });
  t.after(() => server.closeAllConnections());
  const port = await listen(server);
  const load = startLoad(t, `http://127.0.0.1:${port}`);

  const before = await load.nextLine();
  server.close();
  server.closeAllConnections();
  const away = await untilLine(load, /no Jano answers/);
  await listen(server, port);
  const back = await untilLine(load, /5 answered/);
  server.close();

  assert.match(before, /^round 1: agent 3 × chat, editor 1 × chat, person 1 × chat: 5 answered/);
  assert.match(away, /^no Jano answers at http:\/\/127\.0\.0\.1:\d+: \w+\n$/);
  assert.match(back, /^round \d+: /);
});

test('the steady load says what is wrong with a Jano that has no models for it', async (t) => {
  const url = await startBackend(t, (_req, res) => res.end('{"data":[]}'));
  const load = startLoad(t, url);

  assert.equal(await load.nextLine(), `no Jano answers at ${url}: it lists no models\n`);
});

for (const { what, answer, told } of [
  {
    what: 'a page',
    answer: (_req, res) => res.end('<!doctype html>'),
    told: 'something else does',
  },
  { what: 'other JSON', answer: (_req, res) => res.end('[]'), told: 'something else does' },
  {
    what: 'an error that is no JSON',
    answer: (_req, res) => res.writeHead(404).end('404 page not found'),
    told: 'status 404',
  },
] satisfies { what: string; answer: Answer; told: string }[]) {
  test(`the steady load says so when ${what} comes from where Jano should be`, async (t) => {
    const url = await startBackend(t, answer);
    const load = startLoad(t, url);

    assert.equal(await load.nextLine(), `no Jano answers at ${url}: ${told}\n`);
  });
}

test('the steady load says that a Jano wants a key', async (t) => {
  const models = [{ name: 'chat', url: 'http://127.0.0.1:1', pinned: true }];
  const jano = await startJano(t, { models, auth: { keys: { me: 'a-key' } } });
  const load = startLoad(t, jano.url);

  assert.match(await load.nextLine(), /: it wants a key \(auth\.keys\), and this load has none\n$/);
});

test('the steady load ends at once, though answers are under way', async (t) => {
  const asked = Promise.withResolvers<void>();
  const url = await startBackend(t, (req, res) => {
    if (req.url === '/v1/models') return res.end('{"data":[{"id":"chat"}]}');
    asked.resolve();
  });
  const load = startLoad(t, url);

  await asked.promise;
  load.stop();

  await load.ended;
});

test('jano demo --steady asks until SIGTERM', async (t) => {
  const jano = await startThreeModels(t);
  const load = startProgram(t, createFolder('program'), ['demo', '--steady', jano.url]);

  await load.until(/round 1: agent 3 × code, editor 1 × story, person 1 × chat: 5 answered/);
  process.kill(load.pid, 'SIGTERM');

  assert.deepEqual(await load.ended, { code: 0, signal: null });
});

test('jano demo --steady waits for a Jano that is not up yet, and ends on Ctrl-C', async (t) => {
  const [port] = await findFreePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const load = startProgram(t, createFolder('program'), ['demo', '--steady', url]);

  await load.until(/no Jano answers at http:\/\/127\.0\.0\.1:\d+: ECONNREFUSED\n/);
  process.kill(load.pid, 'SIGINT');

  assert.deepEqual(await load.ended, { code: 0, signal: null });
});

for (const url of ['chat', 'ftp://jano', '127.0.0.1:8082']) {
  test(`jano demo --steady ${url} says that this is no URL`, async (t) => {
    const load = startProgram(t, createFolder('program'), ['demo', '--steady', url]);

    assert.deepEqual(await load.ended, { code: 1, signal: null });
    assert.ok(load.output().startsWith(`jano: "${url}" is no URL, such as http://127.0.0.1:8082`));
  });
}

test('jano --help tells of demo --steady', async (t) => {
  const help = startProgram(t, createFolder('program'), ['--help']);

  assert.deepEqual(await help.ended, { code: 0, signal: null });
  assert.match(help.output(), /jano demo --steady URL/);
});

async function untilLine(
  load: { readonly nextLine: () => Promise<string> },
  pattern: RegExp,
): Promise<string> {
  const line = await load.nextLine();
  return pattern.test(line) ? line : untilLine(load, pattern);
}
