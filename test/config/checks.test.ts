import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configFrom } from '../../src/config/assembly.ts';
import { configWith, faultsOf, modelFaults, modelWith } from './plainConfig.ts';

const uncounted = 'upper and lower case and ":latest" do not count';

for (const [second, path, owner] of [
  [{ name: 'A' }, 'models[1].name: "A"', 'models[0].name'],
  [{ name: 'a:latest' }, 'models[1].name: "a:latest"', 'models[0].name'],
  [{ name: 'b', aliases: ['x', 'A'] }, 'models[1].aliases[1]: "A"', 'models[0].name'],
  [
    { name: 'b', aliases: ['CHAT:Latest'] },
    'models[1].aliases[0]: "CHAT:Latest"',
    'models[0].aliases[0]',
  ],
  [{ name: 'b', aliases: ['B'] }, 'models[1].aliases[0]: "B"', 'models[1].name'],
] as const) {
  test(`a model with ${JSON.stringify(second)} beside a (alias chat) is a problem`, () => {
    const faults = modelFaults({ name: 'a', aliases: ['chat'] }, second);

    assert.deepEqual(faults, [`${path} is taken by ${owner}; ${uncounted}`]);
  });
}

test('an alias that is the name of a later model is blamed, not the name', () => {
  const faults = modelFaults({ name: 'a', aliases: ['b'] }, { name: 'b' });

  assert.deepEqual(faults, [`models[0].aliases[0]: "b" is taken by models[1].name; ${uncounted}`]);
});

test('a model that needs more than the whole budget is a problem, unless it is pinned', () => {
  const faults = modelFaults({ memory: 2 }, { name: 'b', memory: 2, pinned: true });

  assert.deepEqual(faults, [
    'models[0].memory: 2 is more than memory.budget, which is 1: it could never load',
  ]);
});

test('a pinned model with a ttl is a problem', () => {
  assert.deepEqual(modelFaults({ pinned: true, ttl: '5m' }, { name: 'b', ttl: '5m' }), [
    'models[0].ttl: a pinned model is never unloaded: drop ttl or pinned',
  ]);
});

test('a model may not be called as a command of the swap script', () => {
  assert.deepEqual(modelFaults({ name: 'status' }, { name: 'unload', pinned: true }), [
    'models[0].name: the swap script takes "status" for a command, not for a model',
  ]);
});

test('default and preload must name a model', () => {
  assert.deepEqual(faultsOf({ default: 'qwem', preload: 'something' }), [
    'default: no model is called "qwem"; did you mean "qwen"?',
    'preload: no model is called "something"',
  ]);
});

test('a pinned model can be the default, but not be preloaded', () => {
  const models = [modelWith(), modelWith({ name: 'whisper', pinned: true })];

  assert.deepEqual(faultsOf({ models, default: 'whisper', preload: 'whisper' }), [
    'preload: "whisper" is pinned: it is never loaded by Jano',
  ]);
});

test('the shortest turn must not be longer than the longest', () => {
  assert.deepEqual(faultsOf({ policy: { minTurn: '1m', maxTurn: '1m' } }), []);
  assert.deepEqual(faultsOf({ policy: { minTurn: '2m', maxTurn: '1m' } }), [
    'policy.minTurn: must not be longer than policy.maxTurn, which is 60000 ms',
  ]);
});

test('two callers must not share a key', () => {
  assert.deepEqual(faultsOf({ auth: { keys: { ann: 'k1', bob: 'k2', eve: 'k1', joe: 'k1' } } }), [
    'auth.keys.eve: has the same key as "ann"',
    'auth.keys.joe: has the same key as "ann"',
  ]);
});

test('a swap command is required unless every model is pinned', () => {
  const pinned = modelWith({ pinned: true });

  assert.deepEqual(faultsOf({ swap: {} }), [
    'swap.command: is required, as not every model is pinned',
  ]);
  assert.equal(configFrom({ models: [pinned] }, '/').swap.command, null);
});

test('the keys of all callers and the headers of a backend are kept', () => {
  const config = configWith({
    auth: { keys: { ann: 'k1', bob: 'k2' }, open: [] },
    models: [modelWith({ headers: { Authorization: 'Bearer x' } })],
  });

  assert.deepEqual(config.auth, { keys: { ann: 'k1', bob: 'k2' }, open: [] });
  assert.deepEqual(config.models[0]?.headers, { Authorization: 'Bearer x' });
});
