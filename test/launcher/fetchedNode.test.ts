import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createLauncherFolder, futureEngines, startLauncher } from './launcherFolder.ts';

describe('the fetch', () => {
  test('happens once and takes one line', async (t) => {
    const folder = createLauncherFolder(futureEngines, '');

    const first = await startLauncher(t, folder, ['--prepare']).ended;
    const second = await startLauncher(t, folder, ['--prepare']).ended;

    assert.match(first.errors, /^jano: Node v\S+ does not fit .* fetching node-\S+ once\n$/);
    assert.deepEqual(second, { code: 0, signal: null, output: '', errors: '' });
    assert.equal(fetchesIn(folder), 1);
  });

  test('can happen twice at the same time', async (t) => {
    const folder = createLauncherFolder(futureEngines, 'console.log("ran");');

    const runs = [1, 2, 3].map(() => startLauncher(t, folder, ['script.ts']).ended);
    const outputs = (await Promise.all(runs)).map((end) => end.output);

    assert.deepEqual(outputs, ['ran\n', 'ran\n', 'ran\n']);
    assert.equal(globSync('.node/*', { cwd: folder }).length, 1);
  });

  test('is made again when what it left does not start', async (t) => {
    const folder = createLauncherFolder(futureEngines, 'console.log("ran");');
    await startLauncher(t, folder, ['--prepare']).ended;
    const [node] = globSync('.node/*/bin/node', { cwd: folder });
    writeFileSync(join(folder, node ?? ''), '');

    const { output } = await startLauncher(t, folder, ['script.ts']).ended;

    assert.equal(output, 'ran\n');
    assert.equal(fetchesIn(folder), 2);
  });

  test('removes what an interrupted one left, and nothing of one that runs', async (t) => {
    const folder = createLauncherFolder(futureEngines, '');
    const { pid } = spawnSync('true');
    const [ended, running] = [`.node/fetch-${pid}`, `.node/fetch-${process.pid}`];
    mkdirSync(join(folder, ended, 'node_modules'), { recursive: true });
    mkdirSync(join(folder, running), { recursive: true });

    await startLauncher(t, folder, ['--prepare']).ended;

    assert.ok(!existsSync(join(folder, ended)));
    assert.ok(existsSync(join(folder, running)));
  });

  test('says what to do when it fails', async (t) => {
    const folder = createLauncherFolder(futureEngines, 'console.log("ran");');

    const end = await startLauncher(t, folder, ['script.ts'], { NPM_STAND_IN: 'fails' }).ended;

    assert.equal(end.code, 1);
    assert.equal(end.output, '');
    assert.match(end.errors, /could not get node-\S+ from the npm registry\.\nInstall Node 24/);
    assert.deepEqual(globSync('.node/*', { cwd: folder }), []);
  });
});

describe('engines', () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const cases = [
    { engines: `^${process.versions.node}`, fit: true },
    { engines: `^${major - 2}.0.0 || ^${major}.0.0`, fit: true },
    { engines: `>=${major - 1}.99.0`, fit: true },
    { engines: `^${major}.${minor + 1}.0`, fit: false },
    { engines: `^${major - 1}.0.0 || >=${major + 1}.0.0`, fit: false },
  ];
  for (const { engines, fit } of cases) {
    test(`${engines} ${fit ? 'fit' : 'do not fit'} Node ${process.versions.node}`, async (t) => {
      const folder = createLauncherFolder(engines, '');

      await startLauncher(t, folder, ['--prepare'], { NPM_STAND_IN: 'fails' }).ended;

      assert.equal(fetchesIn(folder), fit ? 0 : 1);
    });
  }
});

function fetchesIn(folder: string): number {
  const file = join(folder, 'fetches');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
}
