import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationOf } from '../../src/core/operation.ts';

for (const [path, operation] of Object.entries({
  '/v1/chat/completions': 'chat',
  '/v1/messages': 'chat',
  '/v1/responses': 'chat',
  '/api/chat': 'chat',
  '/v1/completions': 'text_completion',
  '/completion': 'text_completion',
  '/infill': 'text_completion',
  '/api/generate': 'text_completion',
  '/v1/embeddings': 'embeddings',
  '/api/embed': 'embeddings',
  '/v1/rerank': 'rerank',
  '/v1/messages/count_tokens': null,
  '/v1/responses/resp_1/cancel': null,
  '/tokenize': null,
  '/v1/audio/speech': null,
})) {
  test(`POST ${path} asks for ${operation ?? 'nothing that has tokens'}`, () => {
    assert.equal(operationOf('POST', path), operation);
  });
}

test('who only looks asks for nothing', () => {
  assert.equal(operationOf('GET', '/v1/chat/completions'), null);
});
