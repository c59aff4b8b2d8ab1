import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Backend } from '../../src/core/backend.ts';
import { Catalog } from '../../src/core/catalog.ts';
import { backend } from '../support/backend.ts';

function named(model: string, more: Partial<Backend> = {}): Backend {
  return backend(model, `http://127.0.0.1/${model}`, more);
}

const qwen = named('Qwen/Qwen3-8B', { aliases: ['chat', 'llama3:8b'] });
const short = named('Qwen');
const whisper = named('whisper', { pinned: true, endpoints: ['audio/transcriptions'] });
const catalog = new Catalog([qwen, short, whisper]);

test('names and aliases match in any case, and :latest is optional', () => {
  const found = ['qwen/qwen3-8b', 'CHAT', 'chat:latest', 'Llama3:8B'].map((name) =>
    catalog.find(name),
  );

  assert.deepEqual(found, [qwen, qwen, qwen, qwen]);
});

test('names that belong to objects are not models', () => {
  const found = ['__proto__', 'constructor', 'toString', ''].map((name) => catalog.find(name));

  assert.deepEqual(found, [undefined, undefined, undefined, undefined]);
});

test('of the names that a path begins with the longest counts', () => {
  const found = ['qwen/qwen3-8b/v1/chat', 'qwen/v1/chat', 'Qwen%2FQwen3-8B/a%2Fb', 'chat'].map(
    (path) => catalog.findByPath(path),
  );

  assert.deepEqual(found, [
    { backend: qwen, rest: '/v1/chat' },
    { backend: short, rest: '/v1/chat' },
    { backend: qwen, rest: '/a%2Fb' },
    { backend: qwen, rest: '/' },
  ]);
});

test('a path that begins with no name, or is badly escaped, is nobody’s', () => {
  assert.deepEqual(
    ['qwenx/v1', '%zz/v1', ''].map((path) => catalog.findByPath(path)),
    [undefined, undefined, undefined],
  );
});

test('a route that a pinned model lists is that model’s', () => {
  assert.equal(catalog.findByRoute('audio/transcriptions'), whisper);
  assert.equal(catalog.findByRoute('chat/completions'), undefined);
});

test('models of one URL are told apart only by what their health contains', () => {
  const url = 'http://127.0.0.1:11434';
  const plain = named('a', { url });
  const one = named('b', { url, health: { path: '/api/ps', contains: 'b' } });
  const two = named('c', { url, health: { path: '/api/ps', contains: 'c' } });
  const shared = new Catalog([plain, one, two]);

  assert.deepEqual(
    [plain, one, two, short].map((each) => shared.isDistinct(each)),
    [false, true, true, true],
  );
});

test('a path of two million segments is read at once: only as many as a name has are tried', () => {
  const found = catalog.findByPath(`chat/${'a/'.repeat(2_000_000)}`);

  assert.equal(found?.backend, qwen);
  assert.equal(catalog.findByPath('a/'.repeat(2_000_000)), undefined);
});
