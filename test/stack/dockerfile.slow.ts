import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFolder } from '../support/folder.ts';
import { buildImageFolder } from './imageFolder.ts';

/** The user `nobody`; who runs the tests as somebody else than root stays that. */
const OTHER_USER = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'];

test('what the Dockerfile copies is enough for Jano, its examples and its healthcheck', async (t) => {
  const folder = createFolder('image');
  const image = buildImageFolder(folder);
  const [JANO_PORT, TMPDIR] = ['0', join(folder, 'tmp')];
  mkdirSync(TMPDIR);
  spawnSync('chmod', ['1777', TMPDIR]);
  // A port of its own on loopback, for the tests' sake.
  const { PATH } = process.env;
  const env = { PATH, TMPDIR, ...image.environment, JANO_PORT, JANO_HOST: '127.0.0.1' };
  const asOther = process.getuid?.() === 0 ? OTHER_USER : [];
  const [program = '', ...args] = [...asOther, ...image.entrypoint];

  const jano = spawn(program, args, { cwd: TMPDIR, env });
  t.after(() => jano.kill('SIGKILL'));
  const port = await portIn(jano.stdout, jano.stderr);
  const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'hello' }] }),
  });
  const text = await answer.text();
  const healthWhileItRan = checkHealth(image.healthcheck, port);
  jano.kill('SIGTERM');
  const [code] = await once(jano, 'exit');

  assert.equal(answer.status, 200, text);
  assert.equal(healthWhileItRan, 0);
  assert.equal(checkHealth(image.healthcheck, port), 1);
  assert.equal(code, 0);
  assert.equal(image.user, 'node');
  assert.deepEqual(image.environment, {
    NODE_ENV: 'production',
    JANO_HOST: '0.0.0.0',
    JANO_PORT: '8082',
  });
  assert.deepEqual(readdirSync(TMPDIR), []);
  assert.ok(!existsSync(join(image.root, 'app/node_modules/typescript')), 'tools of developers');
});

function checkHealth([program = '', ...args]: readonly string[], port: string): number | null {
  return spawnSync(program, args, { env: { JANO_PORT: port } }).status;
}

/** The port that it says it listens on; rejects when it ends before. */
async function portIn(...outputs: readonly NodeJS.ReadableStream[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  for (const output of outputs) {
    output.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const port = /listens on \S+:(\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(port);
    });
    output.once('end', () => reject(new Error(`it ended: ${said}`)));
  }
  return promise;
}
