import { type Attributes, ValueType } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type HistogramMetricData,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import { SWAP_S } from './histograms.ts';
import { METRICS } from './metrics.ts';

const { name, description, unit } = METRICS.swapDuration;

/**
 * The metrics with a series for the swaps to each model, also to those that have not been swapped to. The SDK begins a
 * series with its first value, and `rate()` does not see that one: on a machine that swaps twice a day it would be the
 * half of them.
 */
export function withEmptySwaps(metrics: readonly MetricData[]): MetricData[] {
  const told = metrics.find((metric): metric is HistogramMetricData => isCalled(metric, name));
  const points = told?.dataPoints ?? [];
  const done = points
    .filter(({ attributes }) => attributes['outcome'] === 'ok')
    .map(({ attributes }) => attributes['model']);
  const empty = swappable(metrics)
    .filter((model) => !done.includes(model))
    .map((model) => emptyPoint({ model, outcome: 'ok' }));
  if (empty.length === 0) return [...metrics];
  const completed = { ...(told ?? nothingTold()), dataPoints: [...points, ...empty] };
  return [...metrics.filter((metric) => metric !== told), completed];
}

/** All models that there may be swaps to: their counter has a series of each from the start. */
function swappable(metrics: readonly MetricData[]): unknown[] {
  const counter = metrics.find((metric) => isCalled(metric, METRICS.swaps.name));
  const targets = counter?.dataPoints.map(({ attributes }) => attributes['to']);
  return [...new Set(targets)];
}

function isCalled({ descriptor }: MetricData, wanted: string): boolean {
  return descriptor.name === wanted;
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
