import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findLlamaServer } from '../rig/llamaServer.ts';
import { until } from '../rig/polling.ts';
import { createFolder } from '../support/folder.ts';
import { startProgram } from '../support/program.ts';

/** What the picture must show whatever the models: three answers, one swap, three answers. */
function assertPicture(output: string): void {
  assert.match(output, /arrived {2}1\.chat {2}2\.code {2}3\.chat {2}4\.chat {2}5\.code {2}6\.code/);
  assert.match(output, /served {3}(?:\d\.chat {2}){3}⇄ swap(?: {2}\d\.code){3}\n/);
  assert.match(output, /swaps {4}1, the last took [\d.]+ m?s\n/);
  assert.match(output, /arrival order would have cost 3/);
  assert.match(output, /tokens {3}[1-9]\d*, [\d.]+ tok\/s each, [\d.]+ tok\/s all together/);
}

test('npm run demo draws six requests that cost one swap on the examples', async (t) => {
  const folder = createFolder('program');

  const demo = startProgram(t, folder, ['demo']);

  assert.deepEqual(await demo.ended, { code: 0, signal: null });
  assertPicture(demo.output());
  assert.match(demo.output(), /example-chat says/);
  assert.deepEqual(await readdir(folder), []);
});

test('Ctrl-C ends the demo while its first model is loaded, without a complaint or a leftover', async (t) => {
  const folder = createFolder('program');
  const demo = startProgram(t, folder, ['demo']);
  await demo.until(/"chat" is loaded first/);
  await until('its server runs', async () => {
    const [state = ''] = await readdir(folder);
    const log = await readFile(join(folder, state, 'chat.log'), 'utf8').catch(() => '');
    return log.includes('listen');
  });

  process.kill(demo.pid, 'SIGINT');

  assert.deepEqual(await demo.ended, { code: 0, signal: null });
  assert.doesNotMatch(demo.output(), /jano: /);
  assert.deepEqual(await readdir(folder), []);
});

test('npm run demo -- --llama does the same on real llama-servers', async (t) => {
  const server = await findLlamaServer();
  if (server.kind === 'missing') return t.skip(server.reason);
  const folder = createFolder('program');

  const demo = startProgram(t, folder, ['demo', '--llama'], { LLAMA_SERVER: server.path });

  assert.deepEqual(await demo.ended, { code: 0, signal: null });
  assertPicture(demo.output());
  assert.match(demo.output(), /tiny-chat says/);
  assert.match(demo.output(), /def tiny_code/);
  assert.deepEqual(await readdir(folder), []);
});

test('the llama demo says what to do where there is no llama-server', async (t) => {
  const demo = startProgram(t, createFolder('program'), ['demo', '--llama'], { PATH: '' });

  assert.deepEqual(await demo.ended, { code: 1, signal: null });
  assert.match(demo.output(), /no llama-server on the PATH; install one, or set LLAMA_SERVER/);
});
