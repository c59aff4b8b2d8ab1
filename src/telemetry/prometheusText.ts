import { type PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { MetricData, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { withEmptySwaps } from './emptySwaps.ts';
import { withUnit } from './metrics.ts';

/** Gives the text of one scrape. It rejects when a part is missing: old values would be told as if they were new. */
export function createScrape(reader: PrometheusExporter): () => Promise<string> {
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  return async () => {
    const { resourceMetrics, errors } = await reader.collect();
    if (errors.length > 0) throw new Error('metrics could not be collected', { cause: errors[0] });
    // Without the line's end promtool and some scrapers refuse it.
    return `${serializer.serialize(withPrometheusNames(resourceMetrics)).trimEnd()}\n`;
  };
}

function withPrometheusNames({ resource, scopeMetrics }: ResourceMetrics): ResourceMetrics {
  return {
    resource,
    scopeMetrics: scopeMetrics.map(({ scope, metrics }) => ({
      scope,
      metrics: withEmptySwaps(metrics).map(withPrometheusName),
    })),
  };
}

/** Without its unit, which would be a comment in words that Prometheus does not know. */
function withPrometheusName(metric: MetricData): MetricData {
  const { descriptor } = metric;
  const name = withUnit(descriptor.name, descriptor.unit);
  return { ...metric, descriptor: { ...descriptor, name, unit: '' } };
}
