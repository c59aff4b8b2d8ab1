import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overrideListen } from '../../src/config/listen.ts';
import { catchProblems, loadFiles, loadFrom, makeFolder } from './folder.ts';
import { configWith } from './plainConfig.ts';

const yaml = 'listen: 0.0.0.0:80\nmodels: [{name: a, url: "http://h", pinned: true}]\n';

for (const [environment, host, port] of [
  [{ JANO_HOST: '::1', JANO_PORT: '9000' }, '::1', 9000],
  [{ JANO_HOST: '[::1]' }, '::1', 80],
  [{ JANO_HOST: 'my-host.lan' }, 'my-host.lan', 80],
  [{ JANO_PORT: '0' }, '0.0.0.0', 0],
  [{ JANO_HOST: '', JANO_PORT: '' }, '0.0.0.0', 80],
] as const) {
  test(`${JSON.stringify(environment)} goes before listen`, async (t) => {
    const config = await loadFiles(t, { 'jano.yaml': yaml }, environment);

    assert.deepEqual(config.listen, { host, port });
  });
}

test('JANO_PORT in the .env counts as well', async (t) => {
  const config = await loadFiles(t, { 'jano.yaml': yaml, '.env': 'JANO_PORT=7000' });

  assert.equal(config.listen.port, 7000);
});

test('where there is no config, the variables apply to the one that is built in', async (t) => {
  const folder = await makeFolder(t, { '.env': 'JANO_PORT=7000' });
  const loaded = await loadFrom(folder, { JANO_HOST: '0.0.0.0' });
  assert.equal(loaded.kind, 'none');

  const config = overrideListen(configWith(), loaded.variables);

  assert.deepEqual(config.listen, { host: '0.0.0.0', port: 7000 });
});

for (const [name, value] of [
  ['JANO_PORT', '65536'],
  ['JANO_PORT', '80a'],
  ['JANO_PORT', '-1'],
  ['JANO_HOST', 'h:80'],
  ['JANO_HOST', 'http://h'],
] as const) {
  test(`${name}=${value} is a problem`, async (t) => {
    const problems = await catchProblems(() =>
      loadFiles(t, { 'jano.yaml': yaml }, { [name]: value }),
    );

    assert.deepEqual(
      problems.map(({ file, path }) => [file, path]),
      [['the environment', name]],
    );
  });
}
