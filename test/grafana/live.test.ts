import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { METRICS, prometheusName } from '../../src/telemetry/metrics.ts';
import { type BusyJano, EIGHT_MODELS, ONE_MODEL, startBusyJano } from '../rig/busyJano.ts';
import { until } from '../rig/polling.ts';
import type { Range } from '../rig/prometheus.ts';
import { type Scrape, scrape } from '../support/scrape.ts';
import { type Choice, countSeries } from './asking.ts';
import { type PanelQuery, queriesOf, readDashboard } from './dashboardFile.ts';
import { readManual } from './manual.ts';

/** Of one model there is nothing to choose the order of, and its swaps do not fail. */
const EMPTY_WITH_ONE = ['Failed swaps'];

/** Those of the manual, too. */
async function readQueries(): Promise<PanelQuery[]> {
  const { queries } = await readManual();
  const ofManual = queries.map((expression) => ({
    panel: 'manual',
    expression,
    legend: '',
    isInstant: true,
  }));
  return [...queriesOf((await readDashboard()).panels), ...ofManual];
}

/** The last of them that have no data. */
async function findEmpty(
  { prometheus }: BusyJano,
  queries: readonly PanelQuery[],
  choice: Choice,
): Promise<string[]> {
  const end = Date.now() / 1000;
  const range: Range = { start: end - 60, end, step: 1 };
  const counts = await Promise.all(
    queries.map(async (query) => ({
      ...query,
      count: await countSeries(prometheus, query, choice, range),
    })),
  );
  return counts
    .filter(({ count }) => count === 0)
    .map(({ panel, legend, expression }) => `${panel}: ${legend || expression}`);
}

/** The queries are checked by what is declared, so it has to be what is told. */
function assertDeclared({ types, values }: Scrape): void {
  const declared = Object.values(METRICS);
  const kinds = declared.map((metric) => [prometheusName(metric), metric.kind] as const);
  assert.deepEqual(types, new Map<string, string>(kinds));
  for (const metric of declared) {
    const name = prometheusName(metric);
    const labels = metric.labels.map((label) => label.replaceAll('.', '_'));
    const suffix = metric.kind === 'histogram' ? '_sum' : '';
    const series = [...values.keys()].filter((key) => key.split('{')[0] === `${name}${suffix}`);
    assert.notDeepEqual(series, [], name);
    for (const key of series) {
      const told = [...key.matchAll(/([a-z_]+)="/g)].map(([, label = '']) => label);
      assert.deepEqual(new Set(told), new Set(labels), key);
    }
  }
}

for (const models of [EIGHT_MODELS, ONE_MODEL]) {
  test(`each query of the dashboard and of the manual has data on a real Prometheus, of a Jano with ${models.length} of models`, async (t) => {
    const busy = await startBusyJano(t, { models });
    if (busy === null) return;
    const queries = await readQueries();
    const instance = new URL(busy.jano.url).host;
    const expected = models === ONE_MODEL ? EMPTY_WITH_ONE : [];
    const wanted = queries.filter(({ panel }) => !expected.includes(panel));

    let empty: string[] = [];
    const haveData = async (): Promise<boolean> => {
      // All of them together are work for this machine.
      await delay(1000);
      empty = await findEmpty(busy, wanted, { instance, models: 'all' });
      return empty.length === 0;
    };
    await until('each has data', haveData, 90_000).catch(() => assert.deepEqual(empty, []));
    if (models === EIGHT_MODELS) assertDeclared(await scrape(busy.jano));
    const ofNobody = await findEmpty(busy, queries, { instance, models: ['no such model'] });
    const ofTwo = await findEmpty(busy, wanted, { instance, models: models.slice(0, 2) });

    // Chosen models are really chosen: what is of others only has no data any more.
    assert.ok(ofNobody.length > queries.length / 2);
    assert.ok(ofTwo.length < ofNobody.length);
  });
}
