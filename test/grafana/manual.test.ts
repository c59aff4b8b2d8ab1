import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readDashboard } from './dashboardFile.ts';
import { parseKnown } from './knownSeries.ts';
import { MANUAL_FOLDER, readManual } from './manual.ts';

test('each panel is explained in the manual, row by row, and no other', async () => {
  const { entries } = await readManual();
  const { panels } = await readDashboard();

  let row = '';
  const wanted = new Map<string, string[]>();
  for (const { type, title } of panels) {
    if (type === 'row') wanted.set((row = title), []);
    else if (type !== 'text') wanted.get(row)?.push(title);
  }
  for (const [title, names] of wanted) {
    const [, ...told] = entries.get(title) ?? [];
    assert.deepEqual(told, names, title);
  }
});

test('the queries of the manual are PromQL, for metrics and labels that there are', async () => {
  const { queries } = await readManual();

  assert.ok(queries.length > 12);
  for (const query of queries) parseKnown(query);
});

test('the manual points to files that there are', async () => {
  const { text } = await readManual();
  const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = '']) => path);

  assert.ok(links.length > 3);
  for (const path of links) await access(join(MANUAL_FOLDER, path));
});
