import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const FOLDER = join(import.meta.dirname, '../faults');

test('every fault that users of routers have met has a test that is named after it', async () => {
  const known = Object.keys(JSON.parse(await readFile(join(FOLDER, 'cases.json'), 'utf8')));
  const tested = await namedIds();

  assert.deepEqual(
    known.filter((id) => !tested.has(id)),
    [],
  );
  assert.deepEqual(
    [...tested].filter((id) => !known.includes(id)),
    [],
  );
});

/** The ids with which names of tests begin: names are texts of their own, or stand first in a list of them. */
async function namedIds(): Promise<ReadonlySet<string>> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.test.ts'));
  const texts = await Promise.all(files.map((file) => readFile(join(FOLDER, file), 'utf8')));
  return new Set(texts.flatMap((text) => text.match(/(?<=['`])[a-z]+-\d\d(?=: |')/g) ?? []));
}
