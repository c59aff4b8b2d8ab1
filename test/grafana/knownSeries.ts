import assert from 'node:assert/strict';
import { METRICS, type Metric, prometheusName } from '../../src/telemetry/metrics.ts';
import { type ParsedQuery, parseQuery } from './promql.ts';

/** Those that Prometheus itself puts on each series. */
export const TARGET_LABELS = ['job', 'instance'];

/** By the names of their series in Prometheus. */
export const METRIC_OF: ReadonlyMap<string, Metric> = new Map(
  Object.values(METRICS).flatMap((metric: Metric) =>
    suffixesOf(metric).map((suffix) => [`${prometheusName(metric)}${suffix}`, metric] as const),
  ),
);

/** Reads a query of Grafana; fails the test when it asks for what Jano does not tell. */
export function parseKnown(query: string): ParsedQuery {
  // The grammar knows no variables where a length of time has to be.
  const parsed = parseQuery(
    query.replaceAll('$__rate_interval', '1m').replaceAll('$__range', '6h'),
  );
  assert.deepEqual(parsed.mistakes, []);
  assert.notDeepEqual(parsed.selectors, [], query);
  const known = parsed.selectors.map(({ metric, labels }) => {
    const all = labelsOf(metric);
    for (const label of labels) assert.ok(all.includes(label), `${label} in ${query}`);
    return all;
  });
  for (const label of parsed.grouped) {
    assert.ok(
      known.some((labels) => labels.includes(label)),
      `${label} in ${query}`,
    );
  }
  return parsed;
}

function labelsOf(series: string): string[] {
  const metric = METRIC_OF.get(series);
  assert.ok(metric, `Jano tells no ${series}`);
  const own = metric.labels.map((label) => label.replaceAll('.', '_'));
  return [...TARGET_LABELS, ...own, ...(series.endsWith('_bucket') ? ['le'] : [])];
}

function suffixesOf({ kind }: Metric): string[] {
  return kind === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
}
