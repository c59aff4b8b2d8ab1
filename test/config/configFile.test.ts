import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { catchProblems, loadFiles, loadFrom, makeFolder, toConfig } from './folder.ts';

const yaml = configNaming('qwen');

/** Every place a config is looked for, in order, with the model that its file names. */
const places = {
  'named.yaml': configNaming('argument'),
  'variable.yaml': configNaming('variable'),
  'jano.yaml': configNaming('current'),
  'models.json': configNaming('json'),
  'xdg/jano/jano.yaml': configNaming('xdg'),
  'home/.config/jano/jano.yaml': configNaming('home'),
  'etc/jano.yaml': configNaming('etc'),
};

test('the file named by --config comes before the one in $JANO_CONFIG', async (t) => {
  const folder = await makeFolder(t, places);
  const environment = { JANO_CONFIG: join(folder, 'variable.yaml') };

  const first = toConfig(await loadFrom(folder, environment, { argument: 'named.yaml' }));
  const second = toConfig(await loadFrom(folder, environment));

  assert.equal(first.models[0]?.model, 'argument');
  assert.equal(second.models[0]?.model, 'variable');
});

for (const [taken, expected] of [
  [[], 'current'],
  [['jano.yaml'], 'json'],
  [['jano.yaml', 'models.json'], 'xdg'],
  [['jano.yaml', 'models.json', 'xdg/jano/jano.yaml'], 'etc'],
] as const) {
  test(`without ${taken.join(', ') || 'an option'} the config is the one of "${expected}"`, async (t) => {
    const left = Object.entries(places).filter(([file]) => !taken.some((gone) => gone === file));
    const folder = await makeFolder(t, Object.fromEntries(left));

    const config = toConfig(await loadFrom(folder, { XDG_CONFIG_HOME: join(folder, 'xdg') }));

    assert.equal(config.models[0]?.model, expected);
  });
}

for (const XDG_CONFIG_HOME of [undefined, '', 'xdg']) {
  test(`with XDG_CONFIG_HOME ${JSON.stringify(XDG_CONFIG_HOME)} it is ~/.config`, async (t) => {
    const { 'home/.config/jano/jano.yaml': home, 'xdg/jano/jano.yaml': xdg } = places;
    const folder = await makeFolder(t, {
      'home/.config/jano/jano.yaml': home,
      'xdg/jano/jano.yaml': xdg,
    });

    const config = toConfig(await loadFrom(folder, { XDG_CONFIG_HOME }));

    assert.equal(config.models[0]?.model, 'home');
  });
}

test('where there is no config, the answer names the files that were looked for', async (t) => {
  const folder = await makeFolder(t, {});

  const loaded = await loadFrom(folder);

  assert.equal(loaded.kind, 'none');
  assert.deepEqual(
    loaded.searched,
    ['jano.yaml', 'models.json', 'home/.config/jano/jano.yaml', 'etc/jano.yaml'].map((file) =>
      join(folder, file),
    ),
  );
});

for (const [namedBy, environment, argument] of [
  ['--config', {}, 'gone.yaml'],
  ['$JANO_CONFIG', { JANO_CONFIG: 'gone.yaml' }, null],
  ['MODELS_FILE', { MODELS_FILE: 'gone.yaml' }, null],
] as const) {
  test(`a file that ${namedBy} names has to exist`, async (t) => {
    const folder = await makeFolder(t, { 'etc/jano.yaml': yaml });

    const problems = await catchProblems(() => loadFrom(folder, environment, { argument }));

    assert.deepEqual(problems, [
      {
        file: join(folder, 'gone.yaml'),
        line: null,
        path: '',
        message: `the file does not exist; ${namedBy} names it`,
      },
    ]);
  });
}

test('a config that cannot be read is a problem, not passed over', async (t) => {
  const folder = await makeFolder(t, { 'jano.yaml/file': '', 'etc/jano.yaml': yaml });

  const [problem] = await catchProblems(() => loadFrom(folder));

  assert.match(problem?.message ?? '', /^cannot be read: EISDIR/);
});

test('the .env beside the config is read, not the one where Jano was started', async (t) => {
  const text = configNaming('${env.NAME}');
  const files = { 'etc/jano.yaml': text, 'etc/.env': 'NAME=beside', '.env': 'NAME=here' };

  const config = await loadFiles(t, files);

  assert.equal(config.models[0]?.model, 'beside');
  assert.deepEqual(config.swap.environment, { NAME: 'beside' });
});

test('the real environment wins over the .env', async (t) => {
  const files = { 'jano.yaml': configNaming('${env.NAME}'), '.env': 'NAME=file\nOTHER="a b"' };

  const config = await loadFiles(t, files, { NAME: 'real' });

  assert.equal(config.models[0]?.model, 'real');
  assert.deepEqual(config.swap.environment, { OTHER: 'a b' });
});

test('several variables in one text are all expanded', async (t) => {
  const text = yaml.replace('127.0.0.1:8081', '${env.HOST}:${env.PORT}/x');

  const config = await loadFiles(t, { 'jano.yaml': text }, { HOST: 'gpu', PORT: '90' });

  assert.equal(config.models[0]?.url, 'http://gpu:90/x');
});

test('what a variable holds is not expanded again', async (t) => {
  const text = configNaming('${env.NAME}');

  const config = await loadFiles(t, { 'jano.yaml': text }, { NAME: '${env.HOME}' });

  assert.equal(config.models[0]?.model, '${env.HOME}');
});

test('a folder named .env is no problem', async (t) => {
  const config = await loadFiles(t, { 'jano.yaml': yaml, '.env/bin/python': '' });

  assert.deepEqual(config.swap.environment, {});
});

test('SWAP_COMMAND means nothing to a jano.yaml', async (t) => {
  const text = 'models: [{name: qwen, url: "http://127.0.0.1:8081"}]';

  const problems = await catchProblems(() =>
    loadFiles(t, { 'jano.yaml': text }, { SWAP_COMMAND: 'true' }),
  );

  assert.deepEqual(
    problems.map(({ path, message }) => [path, message]),
    [['swap.command', 'is required, as not every model is pinned']],
  );
});

function configNaming(model: string): string {
  return `swap: {command: "true"}\nmodels:\n  - name: ${model}\n    url: http://127.0.0.1:8081\n`;
}
