import type { BatchObservableResult, Meter, Observable } from '@opentelemetry/api';
import type { Snapshot } from '../core/snapshot.ts';
import { counters } from './counters.ts';
import type { EventLoopLag } from './eventLoopLag.ts';
import { createGauges } from './gauges.ts';
import type { Labels, Reading } from './reading.ts';

/** Has each scrape read all counters and gauges from one snapshot, so that they agree with each other and with /status. */
export function observeSnapshot(meter: Meter, read: () => Snapshot, lag: EventLoopLag): void {
  const gauges = createGauges(lag).map((gauge) => {
    const { name, unit, description } = gauge.metric;
    return { gauge, instrument: meter.createObservableGauge(name, { unit, description }) };
  });
  const sums = counters.map((counter) => {
    const { name, unit, description } = counter.metric;
    return { counter, instrument: meter.createObservableCounter(name, { unit, description }) };
  });
  meter.addBatchObservableCallback(
    (result) => {
      const now = read();
      for (const { gauge, instrument } of gauges) {
        gauge.tell(now, (value, labels) => result.observe(instrument, value, { ...labels }));
      }
      for (const { counter, instrument } of sums) addUp(counter, now, instrument, result);
    },
    [...gauges, ...sums].map(({ instrument }) => instrument),
  );
}

/** A model or caller may be named as we name the others: of two values of one series the SDK would keep the last. */
function addUp(
  { tell }: Reading,
  now: Snapshot,
  instrument: Observable,
  result: BatchObservableResult,
): void {
  const series = new Map<string, { labels: Labels; sum: number }>();
  tell(now, (value, labels = {}) => {
    const key = JSON.stringify(Object.values(labels));
    series.set(key, { labels, sum: (series.get(key)?.sum ?? 0) + value });
  });
  for (const { labels, sum } of series.values()) result.observe(instrument, sum, { ...labels });
}
