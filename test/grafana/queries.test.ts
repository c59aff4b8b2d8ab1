import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queriesOf, readDashboard } from './dashboardFile.ts';
import { METRIC_OF, parseKnown, TARGET_LABELS } from './knownSeries.ts';

const RATES = ['rate', 'increase'];
/** Grafana's own, and such as are a window by their meaning: of the last hour. */
const WINDOWS = ['$__rate_interval', '$__range', '2m', '15m', '15m:', '1h'];

async function readQueries(): Promise<string[]> {
  const { panels } = await readDashboard();
  return queriesOf(panels).map(({ expression }) => expression);
}

test('each query is PromQL, for metrics of the chosen Jano by labels that they have', async () => {
  const queries = await readQueries();

  assert.ok(queries.length > 50);
  for (const query of queries) {
    for (const { labels } of parseKnown(query).selectors) {
      assert.deepEqual(labels.slice(0, 2), TARGET_LABELS, query);
    }
  }
});

test('a metric of models is asked for the chosen ones, but where it is compared with one of all', async () => {
  for (const query of await readQueries()) {
    for (const { metric } of parseKnown(query).selectors) {
      const { labels = [] } = METRIC_OF.get(metric) ?? {};
      const ofModel = ['model', 'gen_ai.request.model', 'to'].find((name) => labels.includes(name));
      if (ofModel === undefined) continue;
      const label = ofModel.replaceAll('.', '_');
      const chosen = `${metric}{job="$job", instance="$instance", ${label}=~"$model"`;
      const all = `${metric}{job="$job", instance="$instance", ${label}=~".+"`;
      assert.ok(query.includes(chosen) || (metric === 'jano_swaps_total' && query.includes(all)));
    }
  }
});

test('counters are only asked how they grow, over a window that Grafana or the meaning sets', async () => {
  for (const query of await readQueries()) {
    const windows = [...query.matchAll(/\[([^\]]*)\]/g)].map(([, window = '']) => window);
    for (const window of windows) assert.ok(WINDOWS.includes(window), query);
    for (const { metric, window, calledBy } of parseKnown(query).selectors) {
      const isGauge = METRIC_OF.get(metric)?.kind === 'gauge';
      if (isGauge) assert.equal(window, null, query);
      else assert.ok(calledBy !== null && RATES.includes(calledBy), query);
    }
  }
});

test('quantiles are taken of buckets that kept their `le`', async () => {
  const queries = (await readQueries()).filter((query) => query.includes('histogram_quantile'));

  assert.ok(queries.length > 5);
  for (const query of queries) {
    assert.match(query, /^histogram_quantile\(0\.\d+, sum by \(le[,)].*_bucket\{/);
  }
});
