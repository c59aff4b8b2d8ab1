import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { readDashboard } from './dashboardFile.ts';
import { parseKnown } from './knownSeries.ts';
import { MANUAL_FOLDER, readManual } from './manual.ts';

const ALERTS_FILE = join(import.meta.dirname, '../../prometheus/alerts.yml');

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

test('each alert is explained in the manual, and no other', async () => {
  const { entries } = await readManual();
  const rules = z.object({
    groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string() })) })),
  });
  const { groups } = rules.parse(parse(await readFile(ALERTS_FILE, 'utf8')));

  const alerts = groups.flatMap((group) => group.rules.map(({ alert }) => alert));
  assert.deepEqual(entries.get('Alerts')?.slice(1), alerts);
});

test('the manual points to files that there are', async () => {
  const { text } = await readManual();
  const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = '']) => path);

  assert.ok(links.length > 3);
  for (const path of links) await access(join(MANUAL_FOLDER, path));
});
