import assert from 'node:assert/strict';
import { test } from 'node:test';
import { METRICS, type Metric, prometheusName } from '../../src/telemetry/metrics.ts';
import { queriesOf, readDashboard } from './dashboardFile.ts';
import { type ParsedQuery, parseQuery } from './promql.ts';

interface Named {
  readonly metric: Metric;
  readonly suffix: string;
}

/** Those that Prometheus itself puts on each series. */
const TARGET_LABELS = ['job', 'instance'];
const RATES = ['rate', 'increase'];
/** Grafana's own, and such as are a window by their meaning: of the last hour. */
const WINDOWS = ['$__rate_interval', '$__range', '15m', '1h'];
/** By the name of the series. */
const SERIES = new Map(Object.values(METRICS).flatMap(seriesOf));

function seriesOf(metric: Metric): [string, Named][] {
  const suffixes = metric.kind === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  return suffixes.map((suffix) => [`${prometheusName(metric)}${suffix}`, { metric, suffix }]);
}

function labelsOf({ metric, suffix }: Named): string[] {
  const own = metric.labels.map((label) => label.replaceAll('.', '_'));
  return [...TARGET_LABELS, ...own, ...(suffix === '_bucket' ? ['le'] : [])];
}

/** The grammar knows no variables of Grafana where a length of time has to be. */
function parse(query: string): ParsedQuery {
  return parseQuery(query.replaceAll('$__rate_interval', '1m').replaceAll('$__range', '6h'));
}

async function readQueries(): Promise<string[]> {
  const { panels } = await readDashboard();
  return queriesOf(panels).map(({ expression }) => expression);
}

test('each query is PromQL', async () => {
  const queries = await readQueries();

  assert.ok(queries.length > 50);
  assert.deepEqual(
    queries.flatMap((query) => parse(query).mistakes),
    [],
  );
});

test('what is asked for is a metric of Jano, of the chosen Jano, by labels that it has', async () => {
  for (const query of await readQueries()) {
    const { selectors, grouped } = parse(query);
    assert.notDeepEqual(selectors, [], query);
    const known = selectors.map(({ metric, labels }) => {
      const named = SERIES.get(metric);
      assert.ok(named, `${metric} in ${query}`);
      assert.deepEqual(labels.slice(0, 2), TARGET_LABELS, query);
      const own = labelsOf(named);
      assert.deepEqual(
        labels.filter((label) => !own.includes(label)),
        [],
        query,
      );
      return own;
    });
    for (const label of grouped) {
      assert.ok(
        known.some((labels) => labels.includes(label)),
        `${label} in ${query}`,
      );
    }
  }
});

test('a metric of models is asked for the chosen ones, but where it is compared with one of all', async () => {
  for (const query of await readQueries()) {
    for (const { metric } of parse(query).selectors) {
      const { labels = [] } = SERIES.get(metric)?.metric ?? {};
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
    for (const { metric, window, calledBy } of parse(query).selectors) {
      const isGauge = SERIES.get(metric)?.metric.kind === 'gauge';
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
