import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFolder } from '../support/folder.ts';
import { startProgram } from '../support/program.ts';
import { openRaw } from '../support/rawHttp.ts';

const LISTENS = /listens on (http:\/\/127\.0\.0\.1:(\d+))/;

test('without a config it starts on examples, says so, and its curl line works', async (t) => {
  const jano = startProgram(t, createFolder('program'));

  const [, url = ''] = await jano.until(LISTENS);
  await jano.until(/Ctrl-C stops it/);
  const [, path = '', body = ''] = /curl http:\/\/[^/]+(\S+) -d '(.*)'/.exec(jano.output()) ?? [];
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await fetch(url + path, { method: 'POST', headers: form, body });

  assert.match(jano.output(), /example model servers/);
  assert.ok(jano.output().includes(`${url}/status`));
  assert.equal(response.status, 200);
  assert.match(await response.text(), /example-chat says/);
});

test('one Ctrl-C stops it and the examples and leaves nothing behind', async (t) => {
  const folder = createFolder('program');
  const jano = startProgram(t, folder);
  const [, url = ''] = await jano.until(LISTENS);
  await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: '{"model":"chat","max_tokens":1,"messages":[]}',
  });
  const [state = ''] = await readdir(folder);
  const server = Number.parseInt(await readFile(join(folder, state, 'chat.pid'), 'utf8'), 10);
  const wasAlive = await isAlive(server);

  process.kill(jano.pid, 'SIGINT');
  const ending = await jano.ended;

  assert.deepEqual(ending, { code: 0, signal: null });
  assert.deepEqual([wasAlive, await isAlive(server)], [true, false]);
  assert.deepEqual(await readdir(folder), []);
});

test('SIGTERM lets a running answer end, and refuses new ones meanwhile', async (t) => {
  const jano = startProgram(t, createFolder('program'));
  const [, url = '', port] = await jano.until(LISTENS);
  const running = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: '{"model":"chat","stream":true,"messages":[{"role":"user","content":"hi"}]}',
  });
  const kept = await openRaw(t, Number(port), '');

  process.kill(jano.pid, 'SIGTERM');
  await jano.until(/stopping after 1 running/);
  kept.socket.write('GET /health HTTP/1.1\r\nHost: jano\r\n\r\n');
  const refused = await kept.until((text) => text.includes('\r\n\r\n'));
  const answer = await running.text();

  assert.match(refused, /^HTTP\/1\.1 503 [^]*stopping/);
  assert.ok(answer.endsWith('data: [DONE]\n\n'));
  assert.deepEqual(await jano.ended, { code: 0, signal: null });
});

test('a second signal ends it at once, and the examples too', async (t) => {
  const folder = createFolder('program');
  const jano = startProgram(t, folder);
  const [, url = ''] = await jano.until(LISTENS);
  const running = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: '{"model":"chat","stream":true,"messages":[{"role":"user","content":"hi"}]}',
  });
  process.kill(jano.pid, 'SIGTERM');
  await jano.until(/stopping after 1 running/);

  // Signals that come together are one, so it takes a few.
  const again = setInterval(() => process.kill(jano.pid, 'SIGTERM'), 100);
  await assert.rejects(running.text());
  const ending = await jano.ended;
  clearInterval(again);

  assert.deepEqual(ending, { code: 1, signal: null });
  assert.deepEqual(await readdir(folder), []);
});

test('a wrong config is reported whole, with lines, and nothing is started', async (t) => {
  const folder = createFolder('program');
  await writeFile(
    join(folder, 'jano.yaml'),
    'swap:\n  timeout: 180\nmodels:\n  - name: qwen\n    url: http://127.0.0.1:1\n    memroy: 1\n',
  );

  const jano = startProgram(t, folder);
  const { code } = await jano.ended;

  assert.equal(code, 1);
  assert.match(jano.output(), /line 2 .*swap\.timeout.*unit/);
  assert.match(jano.output(), /line 6 .*memroy.*"memory"/);
});

test('with a config it names the file, the models, and what does nothing yet', async (t) => {
  const folder = createFolder('program');
  const config = join(folder, 'jano.yaml');
  const model = '{name: qwen, url: "http://127.0.0.1:1", pinned: true}';
  await writeFile(config, `watch: true\nmodels: [${model}]\n`);

  const jano = startProgram(t, folder);
  await jano.until(/Ctrl-C stops it\./);

  assert.ok(jano.output().includes(`config  ${config}\n`));
  assert.match(jano.output(), /watch is accepted, but does nothing yet\n {2}models {2}qwen\n/);
  assert.doesNotMatch(jano.output(), /example/);
});

test('its curl line is whole for a shell and tells of the key, but not which', async (t) => {
  const folder = createFolder('program');
  const model = `{name: "it's", url: "http://127.0.0.1:1", pinned: true}`;
  await writeFile(join(folder, 'jano.yaml'), `auth: {keys: {me: s3cret}}\nmodels: [${model}]\n`);

  const jano = startProgram(t, folder);
  await jano.until(/Ctrl-C stops it\./);
  const [, line = ''] = /curl (.*)/.exec(jano.output()) ?? [];
  const words = spawnSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' }).stdout;

  const [, flag, header, , body = ''] = words.split('\n');
  assert.deepEqual([flag, header], ['-H', 'X-Api-Key: <key>']);
  assert.deepEqual(JSON.parse(body), {
    model: "it's",
    messages: [{ role: 'user', content: 'hello' }],
  });
  assert.doesNotMatch(jano.output(), /s3cret/);
});

test('a port that is taken is explained', async (t) => {
  const first = startProgram(t, createFolder('program'));
  const [, , port = ''] = await first.until(LISTENS);

  const folder = createFolder('program');
  const second = startProgram(t, folder, [], { JANO_PORT: port });
  const { code } = await second.ended;

  assert.equal(code, 1);
  assert.deepEqual(await readdir(folder), []);
  assert.match(second.output(), new RegExp(`127\\.0\\.0\\.1:${port} is in use.*JANO_PORT`));
});

test('a command that does not exist is answered with what there is', async (t) => {
  const jano = startProgram(t, createFolder('program'), ['strat']);

  assert.deepEqual(await jano.ended, { code: 1, signal: null });
  assert.match(jano.output(), /no such command: strat\n\nusage: jano/);
});

async function isAlive(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}
