import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { configFrom } from '../../src/config/assembly.ts';
import { ConfigError } from '../../src/config/configError.ts';
import { loadFrom, loadFiles, makeFolder, toConfig } from './folder.ts';
import { fullConfig, fullExample } from './fullExample.ts';
import { configWith, modelWith } from './plainConfig.ts';

test('the example with every key loads as it is', async (t) => {
  const folder = await makeFolder(t, { 'jano.yaml': fullExample, 'swap.sh': '' });

  const config = toConfig(await loadFrom(folder));

  assert.deepEqual(config, fullConfig(folder));
});

test('what the example says are the defaults', async (t) => {
  const short =
    'models: [{name: qwen-chat, url: "http://127.0.0.1:8081"}]\nswap: {command: true.sh}';
  const folder = await makeFolder(t, { 'jano.yaml': short, 'true.sh': '' });
  const full = await loadFiles(t, { 'jano.yaml': fullExample, 'swap.sh': '' });

  const config = toConfig(await loadFrom(folder));

  const named = { aliases: ['chat', 'unsloth/Qwen3.6-27B-GGUF'], label: 'Qwen3.6 27B' };
  assert.deepEqual(
    {
      ...config,
      file: full.file,
      swap: { ...config.swap, command: full.swap.command, directory: full.swap.directory },
      models: config.models.map((model) => ({ ...model, ...named })),
    },
    full,
  );
});

test('JSON is read as YAML, also when it is indented by tabs', async (t) => {
  const json = JSON.stringify({ swap: { command: 'true' }, models: [modelWith()] }, null, '\t');

  const config = await loadFiles(t, { 'jano.yaml': json });

  assert.equal(config.models[0]?.model, 'qwen');
});

test('a config is made of a plain object, with the defaults', () => {
  const config = configFrom({ models: [modelWith({ pinned: true })] }, '/somewhere');

  assert.equal(config.file, null);
  assert.equal(config.swap.command, null);
  assert.equal(config.swap.directory, '/somewhere');
  assert.equal(config.limits.bodyBytes, 256 * 1024 * 1024);
});

test('a plain object that is wrong is a ConfigError that says where', () => {
  assert.throws(() => configFrom({ models: [{ name: 'a' }] }, '/'), {
    name: 'ConfigError',
    message:
      'the config: models[0].url: is required; the config: swap.command: is required, as not every model is pinned',
  });
});

test('values with units become milliseconds and bytes', () => {
  const config = configWith({
    models: [modelWith({ ttl: '1h' })],
    queue: { maxWaitingBytes: '64KiB', timeout: '2m', keepAlive: '15s' },
    limits: { body: '5MB', request: '1m30s', idleSocket: 0 },
    health: { stuckAfter: '10m' },
    policy: { minTurn: '1.5s', maxTurn: '2s' },
  });

  assert.equal(config.models[0]?.ttlMs, 3_600_000);
  assert.equal(config.queue.maxWaitingBytes, 65_536);
  assert.equal(config.queue.timeoutMs, 120_000);
  assert.equal(config.policy.queueTimeoutMs, 120_000);
  assert.equal(config.queue.keepAliveMs, 15_000);
  assert.deepEqual(config.limits, { bodyBytes: 5e6, requestMs: 90_000, idleSocketMs: 0 });
  assert.equal(config.health.stuckAfterMs, 600_000);
  assert.equal(config.policy.minTurnMs, 1_500);
});

test('the file for records is found from the folder of the config', async (t) => {
  const yaml = `${fullExample}\n`.replace('path: null', 'path: data/usage.db');
  const folder = await makeFolder(t, { 'jano.yaml': yaml, 'swap.sh': '' });

  const config = toConfig(await loadFrom(folder));

  assert.equal(config.usage.path, join(folder, 'data/usage.db'));
});

test('default and preload may be aliases and are kept as configured names', () => {
  const models = [modelWith({ name: 'Qwen', aliases: ['chat'] })];

  const config = configWith({ models, default: 'CHAT:latest', preload: 'qwen' });

  assert.equal(config.defaultModel, 'Qwen');
  assert.equal(config.preload, 'Qwen');
});

test('models that share a URL need no text to tell them apart', () => {
  const config = configWith({ models: [modelWith(), modelWith({ name: 'gemma' })] });

  assert.equal(config.models[0]?.url, config.models[1]?.url);
});

test('a ConfigError is an Error with all problems', () => {
  const problem = { file: 'jano.yaml', line: 3, path: 'listen', message: 'is empty' };

  const error = new ConfigError([problem]);

  assert.deepEqual(error.problems, [problem]);
  assert.equal(error.message, 'jano.yaml:3: listen: is empty');
});
