import type { ModelReading } from '../core/snapshot.ts';
import type { EventLoopLag } from './eventLoopLag.ts';
import { METRICS, type Metric } from './metrics.ts';
import type { Reading } from './reading.ts';

/** What is the case at the moment of a scrape. */
export function createGauges(lag: EventLoopLag): readonly Reading[] {
  return [
    byModel(METRICS.queueDepth, ({ waiting }) => waiting),
    byModel(METRICS.inFlight, ({ inFlight }) => inFlight),
    {
      metric: METRICS.oldestWait,
      tell({ takenAt, oldestQueuedAt }, value) {
        value(oldestQueuedAt === null ? 0 : Math.max(0, takenAt - oldestQueuedAt) / 1000);
      },
    },
    byModel(METRICS.modelLoaded, ({ presence }) => Number(presence === 'resident')),
    byModel(METRICS.backendUp, ({ health }) =>
      health === 'unknown' ? NaN : Number(health === 'up'),
    ),
    byModel(METRICS.generationRate, ({ totals }) => totals.outputRates.mean ?? NaN),
    byModel(METRICS.promptRate, ({ totals }) => totals.inputRates.mean ?? NaN),
    {
      metric: METRICS.uptime,
      tell: ({ takenAt, startedAt }, value) => value(Math.max(0, takenAt - startedAt) / 1000),
    },
    { metric: METRICS.eventLoopLag, tell: (_now, value) => value(lag.takeSeconds()) },
    { metric: METRICS.residentMemory, tell: (_now, value) => value(process.memoryUsage.rss()) },
  ];
}

function byModel(metric: Metric, of: (model: ModelReading) => number): Reading {
  return {
    metric,
    tell({ models }, value) {
      for (const reading of models) value(of(reading), { model: reading.model });
    },
  };
}
