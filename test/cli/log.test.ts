import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { startBackend } from '../support/fakeBackend.ts';
import { createFolder } from '../support/folder.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');
const LISTENS = /listens on (http:\/\/127\.0\.0\.1:\d+)/;
const SECRETS = /hush|sk-1234567890/;

interface Started {
  readonly url: string;
  readonly child: ReturnType<typeof spawn>;
  /** What it has written to its standard output. */
  readonly output: () => string;
}

/** Jano as a program, with its standard error wherever the test wants it, in front of a model "qwen". */
async function start(
  t: TestContext,
  stderr: number | 'pipe',
  [program, ...args]: readonly [string, ...string[]] = [process.execPath, MAIN],
  environment: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const url = await startBackend(t, (_req, res) =>
    res.setHeader('content-type', 'application/json').end('{"usage":{"completion_tokens":3}}'),
  );
  const folder = createFolder('program');
  const models = [{ name: 'qwen', url, pinned: true }];
  await writeFile(join(folder, 'jano.json'), JSON.stringify({ models }));
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      JANO_PORT: '0',
      JANO_CONFIG: join(folder, 'jano.json'),
      ...environment,
    },
    stdio: ['ignore', 'pipe', stderr],
  });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  const { promise, resolve: found } = Promise.withResolvers<string>();
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
    const [, address] = LISTENS.exec(stripVTControlCharacters(output)) ?? [];
    if (address !== undefined) found(address);
  });
  return { url: await promise, child, output: () => output };
}

async function ask(url: string, path = '/v1/chat/completions?token=hush'): Promise<number> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-1234567890' },
    body: '{"model":"qwen","messages":[{"role":"user","content":"hush"}]}',
  });
  await response.arrayBuffer();
  return response.status;
}

async function end({ child }: Started): Promise<number | null> {
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  const [code] = await ended;
  return code;
}

test('each request is a line of JSON on standard error, and so is the stop, without prompt, query or key', async (t) => {
  const jano = await start(t, 'pipe');
  const log = text(jano.child.stderr ?? Readable.from([]));

  for (let count = 0; count < 3; count++) await ask(jano.url);
  const code = await end(jano);

  const lines = (await log).trim().split('\n');
  assert.equal(code, 0);
  assert.match(lines.pop() ?? '', /"event":"warning","message":"SIGTERM: stopping; once more/);
  assert.deepEqual(
    lines.map((line) => {
      const { event, model, path, gen_tokens } = JSON.parse(line);
      return [event, model, path, gen_tokens];
    }),
    Array.from({ length: 3 }, () => ['request', 'qwen', '/v1/chat/completions', 3]),
  );
  assert.doesNotMatch(await log, SECRETS);
});

test('nobody waits for a log that is not read, and its reader learns how much is missing', async (t) => {
  const jano = await start(t, 'pipe');
  const path = `/${'x'.repeat(15_000)}`;

  const statuses = await Promise.all(Array.from({ length: 200 }, () => ask(jano.url, path)));
  const log = text(jano.child.stderr ?? Readable.from([]));
  await ask(jano.url);
  const code = await end(jano);

  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.equal(code, 0);
  const entries = (await log).split('\n').filter((line) => line.startsWith('{'));
  const told = entries.map((line) => JSON.parse(line));
  const dropped = told.filter(({ event }) => event === 'dropped');
  const missing = dropped.map(({ message }) => Number.parseInt(message, 10));
  const requests = told.filter(({ event }) => event === 'request').length;
  assert.ok(dropped.length > 0);
  assert.equal(requests + missing.reduce((sum, count) => sum + count, 0), 201);
});

test('a log that nobody can read any more ends nothing', async (t) => {
  const jano = await start(t, 'pipe');
  jano.child.stderr?.destroy();

  const statuses = [];
  for (let count = 0; count < 5; count++) statuses.push(await ask(jano.url));

  assert.deepEqual(statuses, [200, 200, 200, 200, 200]);
  assert.equal(await end(jano), 0);
});

test('a log on a full disk ends nothing', async (t) => {
  const full = openSync('/dev/full', 'w');
  const jano = await start(t, full);
  closeSync(full);

  const statuses = [];
  for (let count = 0; count < 5; count++) statuses.push(await ask(jano.url));

  assert.deepEqual(statuses, [200, 200, 200, 200, 200]);
  assert.equal(await end(jano), 0);
});

test('a log in a file is JSON', async (t) => {
  const path = join(createFolder('log'), 'jano.log');
  const file = openSync(path, 'w');
  const jano = await start(t, file);
  closeSync(file);

  await ask(jano.url);
  await end(jano);

  const [line = ''] = readFileSync(path, 'utf8').split('\n');
  assert.equal(JSON.parse(line).event, 'request');
});

for (const [what, environment, ending] of [
  ['in colours', {}, '\x1b[32m200 served   \x1b[39m'],
  ['without, where NO_COLOR says so', { NO_COLOR: '1' }, '  200 served     '],
] as const) {
  test(`on a terminal the log is for people, ${what}`, async (t) => {
    if (!hasScript()) return t.skip('no "script" of util-linux, which makes a terminal');
    const command = `exec '${process.execPath}' '${MAIN}'`;
    const terminal = ['script', '-qec', command, '/dev/null'] as const;
    const jano = await start(t, 'pipe', terminal, { TERM: 'xterm-256color', ...environment });

    await ask(jano.url);
    const shown = await untilShown(jano, /\d\d:\d\d:\d\d.*served[^\n]*\n/);

    assert.ok(shown.includes(ending), shown);
    assert.match(shown, /qwen .* served .* · \? → 3 tokens/);
  });
}

function hasScript(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
}

async function untilShown({ child, output }: Started, pattern: RegExp): Promise<string> {
  for (;;) {
    const [shown] = pattern.exec(output()) ?? [];
    if (shown !== undefined) return shown;
    if (child.stdout !== null) await once(child.stdout, 'data');
  }
}
