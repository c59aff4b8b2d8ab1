import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { catchProblems, loadFiles, loadFrom, makeFolder, toConfig } from './folder.ts';

const modelsJson = JSON.stringify(
  {
    models: [
      { name: 'chat', url: 'http://127.0.0.1:8081' },
      { name: 'code', url: 'http://127.0.0.1:8080', label: 'Code' },
      {
        name: 'whisper',
        url: 'http://127.0.0.1:8084',
        aliases: ['whisper-1', 'mlx-community/whisper-large-v3-turbo'],
        passthrough: true,
        endpoints: ['audio/transcriptions'],
      },
    ],
  },
  null,
  2,
);

const files = { 'models.json': modelsJson, 'swap.sh': '', '.env': 'SWAP_COMMAND=./swap.sh\n' };

test('models.json and .env of the original load as they are', async (t) => {
  const folder = await makeFolder(t, files);

  const config = toConfig(await loadFrom(folder));

  assert.equal(config.file, join(folder, 'models.json'));
  assert.deepEqual(config.swap.command, [join(folder, 'swap.sh')]);
  assert.equal(config.swap.timeoutMs, 180_000);
  assert.equal(config.limits.requestMs, 600_000);
  assert.deepEqual(config.listen, { host: '127.0.0.1', port: 8082 });
  assert.deepEqual(
    config.models.map(({ model, label, pinned, parallel }) => [model, label, pinned, parallel]),
    [
      ['chat', null, false, 'auto'],
      ['code', 'Code', false, 'auto'],
      ['whisper', null, true, 'auto'],
    ],
  );
  assert.deepEqual(config.models[2]?.endpoints, ['audio/transcriptions']);
  assert.deepEqual(config.models[2].aliases, ['whisper-1', 'mlx-community/whisper-large-v3-turbo']);
});

test('every variable of the original has its effect', async (t) => {
  const config = await loadFiles(t, files, {
    JANO_HOST: '0.0.0.0',
    JANO_PORT: '9000',
    SWAP_WAIT_TIMEOUT_MS: '60000',
    HEALTH_POLL_INTERVAL_MS: '500',
    REQUEST_TIMEOUT_MS: '0',
    SWAP_FAILURE_LIMIT: '5',
    SWAP_FAILURE_RESET_MS: '1000',
    USAGE_RECORDS_MAX: '20',
  });

  assert.deepEqual(config.listen, { host: '0.0.0.0', port: 9000 });
  assert.equal(config.swap.timeoutMs, 60_000);
  assert.equal(config.swap.pollMs, 500);
  assert.equal(config.limits.requestMs, 0);
  assert.equal(config.policy.refuseMs, 1_000);
  assert.equal(config.usage.records, 20);
});

test('what the .env sets is handed to the swap script', async (t) => {
  const config = await loadFiles(t, { ...files, '.env': `${files['.env']}MODEL_DIR=/models\n` });

  assert.deepEqual(config.swap.environment, { SWAP_COMMAND: './swap.sh', MODEL_DIR: '/models' });
});

test('MODELS_FILE may be in the .env and name a file elsewhere', async (t) => {
  const folder = await makeFolder(t, {
    'config/backends.json': modelsJson,
    'config/.env': 'SWAP_COMMAND=./gone.sh\nUSAGE_RECORDS_MAX=7\n',
    'swap.sh': '',
    '.env': 'MODELS_FILE=config/backends.json\nSWAP_COMMAND=./swap.sh\n',
  });

  const config = toConfig(await loadFrom(folder));

  assert.equal(config.file, join(folder, 'config/backends.json'));
  assert.deepEqual(config.swap.command, [join(folder, 'swap.sh')]);
  assert.equal(config.swap.directory, folder);
  assert.equal(config.usage.records, 7);
});

test('malformed variables and models are told at once, where the user wrote them', async (t) => {
  const broken = modelsJson.replace('"passthrough": true', '"passthrough": "yes"');
  const environment = {
    SWAP_WAIT_TIMEOUT_MS: '3m',
    HEALTH_POLL_INTERVAL_MS: '0',
    REQUEST_TIMEOUT_MS: '9999999999',
    SWAP_FAILURE_LIMIT: '0',
    SWAP_FAILURE_RESET_MS: '-1',
    USAGE_RECORDS_MAX: 'many',
  };
  const folder = await makeFolder(t, { 'models.json': broken, '.env': '\nSWAP_COMMAND=./gone.sh' });

  const problems = await catchProblems(() => loadFrom(folder, environment));

  assert.deepEqual(
    problems
      .map(({ file, line, path, message }) => `${file} ${line} ${path}: ${message}`)
      .map((problem) => problem.replaceAll(`${folder}/`, ''))
      .toSorted(),
    [
      '.env 2 SWAP_COMMAND: "gone.sh" does not exist',
      'models.json 19 models[2].passthrough: expected true or false, not text',
      'the environment null HEALTH_POLL_INTERVAL_MS: "0": expected a whole number of milliseconds from 1',
      'the environment null REQUEST_TIMEOUT_MS: must be at most 24d',
      'the environment null SWAP_FAILURE_LIMIT: "0": expected a whole number from 1',
      'the environment null SWAP_FAILURE_RESET_MS: "-1": expected a whole number of milliseconds from 0',
      'the environment null SWAP_WAIT_TIMEOUT_MS: "3m": expected a whole number of milliseconds from 1',
      'the environment null USAGE_RECORDS_MAX: "many": expected a whole number from 1',
    ],
  );
});

test('without SWAP_COMMAND the variable is named', async (t) => {
  const problems = await catchProblems(() => loadFiles(t, { 'models.json': modelsJson }));

  assert.deepEqual(problems, [
    {
      file: 'the environment',
      line: null,
      path: 'SWAP_COMMAND',
      message: 'is required, as not every model is pinned',
    },
  ]);
});

test('an alias that repeats the name of its own model is put up with', async (t) => {
  const repeated = modelsJson.replace('"whisper-1"', '"Whisper", "whisper-1", "WHISPER-1"');

  const config = await loadFiles(t, { ...files, 'models.json': repeated });

  assert.deepEqual(config.models[2]?.aliases, [
    'whisper-1',
    'mlx-community/whisper-large-v3-turbo',
  ]);
});

test('a models.json without models is a problem', async (t) => {
  const problems = await catchProblems(() =>
    loadFiles(t, { ...files, 'models.json': '{"models": []}' }),
  );

  assert.deepEqual(
    problems.map(({ path, message }) => [path, message]),
    [['models', 'needs at least one entry']],
  );
});

for (const [what, json] of [
  ['a key beside models', { swap: { command: 'true' }, models: [{ name: 'a', url: 'http://h' }] }],
  ['a new key in a model', { models: [{ name: 'a', url: 'http://h', pinned: true }] }],
] as const) {
  test(`a models.json with ${what} is read like jano.yaml`, async (t) => {
    const environment = { SWAP_COMMAND: './gone.sh', REQUEST_TIMEOUT_MS: 'x' };

    const config = await loadFiles(t, { 'models.json': JSON.stringify(json) }, environment);

    assert.equal(config.limits.requestMs, 0);
  });
}
