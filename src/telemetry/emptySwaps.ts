import { type Attributes, ValueType } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type HistogramMetricData,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { Snapshot } from '../core/snapshot.ts';
import { SWAP_S } from './histograms.ts';
import { METRICS } from './metrics.ts';

const { name, description, unit } = METRICS.swapDuration;

/**
 * The metrics with a series for the swaps to each model, also to those that have not been swapped to. The SDK begins a
 * series with its first value, and `rate()` does not see that one: on a machine that swaps twice a day it would be the
 * half of them.
 */
export function withEmptySwaps(metrics: readonly MetricData[], { models }: Snapshot): MetricData[] {
  const told = metrics.find((metric): metric is HistogramMetricData => isSwapDuration(metric));
  const done = new Set(
    told?.dataPoints.flatMap(({ attributes }) =>
      attributes['outcome'] === 'ok' ? [attributes['model']] : [],
    ),
  );
  const missing = models.filter(({ model, pinned }) => !pinned && !done.has(model));
  if (missing.length === 0) return [...metrics];
  const points = missing.map(({ model }) => emptyPoint({ model, outcome: 'ok' }));
  const completed = {
    ...(told ?? nothingTold()),
    dataPoints: [...(told?.dataPoints ?? []), ...points],
  };
  return [...metrics.filter((metric) => metric !== told), completed];
}

function isSwapDuration({ descriptor, dataPointType }: MetricData): boolean {
  return descriptor.name === name && dataPointType === DataPointType.HISTOGRAM;
}

function emptyPoint(attributes: Attributes): DataPoint<Histogram> {
  const buckets = { boundaries: SWAP_S, counts: [...SWAP_S, Infinity].map(() => 0) };
  return { attributes, startTime: [0, 0], endTime: [0, 0], value: { buckets, sum: 0, count: 0 } };
}

function nothingTold(): HistogramMetricData {
  return {
    descriptor: {
      name,
      description,
      unit,
      valueType: ValueType.DOUBLE,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: [],
  };
}
