import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldOf, readDashboard } from './dashboard.ts';
import { drawPage, placeOf, type Source } from './page.ts';
import { areaPath, linePath } from './plane.ts';
import { dashboardOf, panels, type RawPanel, source } from './sample.ts';

/** What is drawn of it. */
async function draw(...raw: readonly RawPanel[]): Promise<string> {
  const { html } = await drawPage(readDashboard(dashboardOf(raw)), source, 1208);
  return html.slice(html.indexOf('</header>'));
}

const panelOf = (name: string): RawPanel => panels[name] ?? {};

test('a panel lies where its 24 columns and its rows are', () => {
  assert.deepEqual(placeOf({ x: 0, y: 0, w: 24, h: 1 }, 1208), {
    left: 8,
    top: 44,
    width: 1192,
    height: 30,
  });
  assert.deepEqual(placeOf({ x: 12, y: 2, w: 6, h: 4 }, 1208), {
    left: 608,
    top: 120,
    width: 292,
    height: 144,
  });
});

test('a page is as high as its lowest panel', async () => {
  const dashboard = readDashboard(dashboardOf([panelOf('text'), panelOf('text')]));

  assert.equal((await drawPage(dashboard, source, 1208)).height, 44 + 16 * 38);
});

test('a line is interrupted where there is no value, and one alone is a dot', () => {
  const points = [0, 1, NaN, 3, NaN, NaN, 6, 7].map((y, x) => [x, y] as const);

  assert.equal(linePath(points), 'M0 0L1 1M3 3h.01M6 6L7 7');
  assert.equal(
    areaPath(points.slice(0, 3), () => 9),
    'M0 0L1 1L1 9L0 9Z',
  );
});

test('a chart shows each series with its gap, the axes and the legend', async () => {
  const html = await draw(panelOf('timeseries'));

  assert.equal(
    [...html.matchAll(/class="line" d="(M[\d. ]+L[\d. ]+M[\d. ]+L[\d. ]+)"/g)].length,
    2,
  );
  assert.match(html, />00:17</);
  assert.match(html, /#010203"><\/i>qwen<.*#010203"><\/i>gemma</);
});

test('of a stack, each series lies on those before it', async () => {
  const panel = panelOf('timeseries');
  const stacking = { unit: 'short', custom: { stacking: { mode: 'normal' } } };
  const [lower, upper] = [
    ...(await draw({ ...panel, fieldConfig: { defaults: stacking } })).matchAll(
      /class="line" d="M\S+ ([\d.]+)L/g,
    ),
  ].map(([, y]) => Number(y));

  assert.ok(Number(upper) < Number(lower));
});

test('a state timeline draws equal values side by side as one', async () => {
  const html = await draw(panelOf('stateTimeline'));

  assert.equal(html.match(/<rect [^>]*fill="#5794f2"/g)?.length, 4);
  assert.match(html, /in memory/);
});

test('a heatmap counts what is in a bucket and not in the smaller ones', async () => {
  const html = await draw(panelOf('heatmap'));

  // Three of five are in the upper one.
  assert.match(html, /<div class="scale">0.*3<\/div>/);
  assert.equal(html.match(/<rect /g)?.length, 2 * 4);
});

test('figures, bars and tables say the last value of each series', async () => {
  for (const name of ['stat', 'bargauge', 'table']) {
    assert.match(await draw(panelOf(name)), /qwen.*>3<.*gemma.*>4</, name);
  }
});

test('a text has its lists and links', async () => {
  assert.match(await draw(panelOf('text')), /<li><a>Traces<\/a><\/li>/);
});

test('where a query finds nothing, the panel says so', async () => {
  const panel = panelOf('timeseries');
  const targets = [{ refId: 'A', expr: 'nothing' }];

  assert.match(await draw({ ...panel, targets }), /class="none">No data</);
  const fieldConfig = { defaults: { noValue: 'none yet' } };
  assert.match(await draw({ ...panel, targets, fieldConfig }), /class="none">none yet</);
});

test('what there is no picture of is said', async () => {
  assert.match(await draw(panelOf('other')), /no picture of geomap/);
});

test('a title is no HTML', async () => {
  assert.match(await draw({ ...panelOf('row'), title: '<b> & Co' }), /&lt;b> &amp; Co/);
});

test('what is set for a name or for names like it goes over the defaults', () => {
  const overrides = [override('byName', 'p99'), override('byRegexp', '/^all/')];
  const raw = { ...panelOf('stat'), fieldConfig: { defaults: { unit: 'short' }, overrides } };
  const [panel] = readDashboard(dashboardOf([raw])).panels;
  assert.ok(panel !== undefined);

  const units = ['p99', 'all p95', 'p50'].map((name) => {
    const { unit, custom } = fieldOf(panel, name);
    return [unit, custom.lineWidth];
  });
  assert.deepEqual(units, [
    ['s', 7],
    ['s', 7],
    ['short', 1],
  ]);
});

function override(id: string, options: string): object {
  const properties = [
    { id: 'unit', value: 's' },
    { id: 'custom.lineWidth', value: 7 },
  ];
  return { matcher: { id, options }, properties };
}

test('a panel with an interval of its own is asked in steps of that, over as long a time', async () => {
  const asked: unknown[] = [];
  const watched: Source = {
    ...source,
    range: { start: 1000, end: 1060, step: 5 },
    prometheus: {
      askAll: () => Promise.resolve([]),
      askRange(query, range) {
        asked.push([query, range]);
        return Promise.resolve([]);
      },
    },
  };
  const expr = 'rate(x[$__rate_interval])';
  const panel = { ...panelOf('timeseries'), interval: '30s', targets: [{ expr, refId: 'A' }] };

  await drawPage(readDashboard(dashboardOf([panel])), watched, 1208);

  assert.deepEqual(asked, [['rate(x[35s])', { start: 990, end: 1050, step: 30 }]]);
});
