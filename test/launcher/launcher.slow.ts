import assert from 'node:assert/strict';
import { copyFileSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { environmentWith, installNode } from './installedNode.ts';
import { createFolder } from '../support/folder.ts';
import { repository, start } from './launcherFolder.ts';

// With the real npm and its registry; the rest is in launcher.test.ts.
test('a Node 20 fetches a fit one, even after a fetch that was killed', async (t) => {
  const folder = createFolder('launcher');
  for (const name of ['run.mjs', 'package.json', '.npmrc']) {
    copyFileSync(join(repository, name), join(folder, name));
  }
  writeFileSync(join(folder, 'script.ts'), 'const v: string = process.version; console.log(v);');
  const env = environmentWith(await installNode(t, join(folder, 'old'), '20.20.2'));
  const killed = start(t, 'node', ['run.mjs', '--prepare'], folder, env);
  killed.child.stderr.once('data', () => killed.child.kill('SIGKILL'));
  assert.equal((await killed.ended).signal, 'SIGKILL');

  const end = await start(t, 'node', ['run.mjs', 'script.ts'], folder, env).ended;
  const again = await start(t, 'node', ['run.mjs', 'script.ts'], folder, env).ended;

  assert.match(end.output, /^v2[46]\./);
  assert.equal(again.output, end.output);
  assert.equal(again.errors, '');
  assert.equal(globSync('.node/node-*', { cwd: folder }).length, 1);
});
