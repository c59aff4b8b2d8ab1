import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { printDashboard } from '../../grafana/dashboard.ts';
import { DASHBOARD_FILE, type DashboardPanel, readDashboard } from './dashboardFile.ts';

const COLUMNS = 24;
const ROWS = ['Now', 'Swaps', 'Queue', 'Speed', 'Volume', 'Health', 'Traces'];
const VARIABLES = ['datasource', 'job', 'instance', 'model', 'traces_url'];

/** The panels that show data. */
async function readPanels(): Promise<DashboardPanel[]> {
  const { panels } = await readDashboard();
  return panels.filter(({ type }) => type !== 'row');
}

test('the committed dashboard is what its code makes; `npm run dashboard` writes it anew', async () => {
  const isCurrent = (await readFile(DASHBOARD_FILE, 'utf8')) === printDashboard();
  assert.ok(isCurrent, 'it is not');
});

test('it is the Classic model, under a name of its own and without the ids of one Grafana', async () => {
  const { uid, schemaVersion, panels } = await readDashboard();
  const text = await readFile(DASHBOARD_FILE, 'utf8');

  assert.deepEqual([uid, schemaVersion], ['jano', 42]);
  assert.deepEqual(
    panels.filter(({ type }) => type === 'row').map(({ title }) => title),
    ROWS,
  );
  // Of transformations and matchers the id is a word.
  assert.doesNotMatch(text, /"id": (?:\d|null)/);
});

test('one Jano is chosen, and of its models some or all', async () => {
  const { templating } = await readDashboard();

  const names = templating.list.map(({ name }) => name);
  const several = templating.list.filter(({ multi, includeAll }) => multi || includeAll);
  assert.deepEqual(names, VARIABLES);
  assert.deepEqual(
    several.map(({ name, multi, includeAll, allValue }) => ({ name, multi, includeAll, allValue })),
    [{ name: 'model', multi: true, includeAll: true, allValue: '.*' }],
  );
});

test('each panel has a title of its own, a unit, and a description for who is new', async () => {
  const panels = await readPanels();

  assert.equal(new Set(panels.map(({ title }) => title)).size, panels.length);
  for (const { type, title, description = '', fieldConfig, datasource } of panels) {
    assert.match(description, /^[A-Z].{30,}\.$/s, `of ${title}`);
    if (type === 'text') continue;
    assert.notEqual(fieldConfig?.defaults.unit ?? '', '', `unit of ${title}`);
    assert.deepEqual(datasource, { type: 'prometheus', uid: '${datasource}' });
  }
});

test('each series is named, and what has several has a legend', async () => {
  for (const { type, title, targets = [], options } of await readPanels()) {
    const isNamed = type !== 'table';
    for (const { legendFormat } of targets) {
      if (isNamed) assert.notEqual(legendFormat ?? '', '', title);
    }
    if (['timeseries', 'state-timeline'].includes(type)) {
      assert.equal(options?.legend?.showLegend, true, title);
    }
  }
});

test('thresholds rise, from a colour for everything below', async () => {
  const panels = await readPanels();
  let counted = 0;
  for (const { title, fieldConfig } of panels) {
    const [first, ...others] = fieldConfig?.defaults.thresholds?.steps ?? [];
    if (first === undefined) continue;
    assert.equal(first.value, null, title);
    const values = others.map(({ value }) => value ?? NaN);
    assert.deepEqual(
      values,
      values.toSorted((one, other) => one - other),
      title,
    );
    counted += others.length;
  }
  assert.ok(counted > 5);
});

test('panels lie within the grid, fill each line of it, and none lies on another', async () => {
  const { panels } = await readDashboard();
  const taken = new Map<string, string>();
  for (const { title, gridPos } of panels) {
    const { x, y, w, h } = gridPos;
    assert.ok(x >= 0 && w > 0 && x + w <= COLUMNS, title);
    for (let row = y; row < y + h; row += 1) {
      for (let column = x; column < x + w; column += 1) {
        const cell = `${row}:${column}`;
        assert.equal(taken.get(cell), undefined, `${title} lies on another at ${cell}`);
        taken.set(cell, title);
      }
    }
  }
  const height = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  assert.equal(taken.size, height * COLUMNS, 'there is a hole');
});

test('what is per minute says so in its unit, and what shows faults only calls their absence none', async () => {
  const told = (await readPanels()).flatMap(({ title, targets = [], fieldConfig }) =>
    targets.map(({ expr }) => ({ title, expr, ...fieldConfig?.defaults })),
  );

  const perMinute = told.filter(({ expr }) => expr.includes('* 60'));
  const faults = told.filter(({ title }) => ['Failed swaps', 'Errors, by model'].includes(title));
  assert.equal(perMinute.length, 3);
  assert.deepEqual(new Set(perMinute.map(({ unit }) => unit)), new Set(['suffix:/min']));
  assert.deepEqual(
    faults.map(({ noValue }) => noValue),
    ['none', 'none'],
  );
});

test('a model alone names its lines, so that it has one colour in all panels', async () => {
  for (const { type, title, targets = [] } of await readPanels()) {
    if (type !== 'timeseries') continue;
    for (const { legendFormat = '' } of targets) {
      const names = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
      const isOfModel =
        names.length === 1 && ['model', 'gen_ai_request_model'].includes(names[0] ?? '');
      if (isOfModel) assert.equal(legendFormat, `{{${names[0]}}}`, title);
    }
  }
});
