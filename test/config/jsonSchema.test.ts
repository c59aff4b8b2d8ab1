import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { describeSchema } from '../../src/config/jsonSchema.ts';

const renewal =
  'jano.schema.json is out of date; renew it: node src/config/printSchema.ts > jano.schema.json && npx oxfmt jano.schema.json';

test('jano.schema.json says what the config may hold', async () => {
  const text = await readFile(new URL('../../jano.schema.json', import.meta.url), 'utf8');

  assert.deepEqual(JSON.parse(text), describeSchema(), renewal);
});
