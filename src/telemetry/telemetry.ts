import type { Tracer } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { Recorder } from '../core/record.ts';
import { Recorders } from '../core/recorders.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { NO_TRACING, type Tracing } from '../core/tracing.ts';
import { EventLoopLag } from './eventLoopLag.ts';
import { Histograms } from './histograms.ts';
import { createScrape } from './prometheusText.ts';
import { observeSnapshot } from './readings.ts';
import { Spans } from './spans.ts';

/** Metrics and traces of one Jano. */
export interface Telemetry extends Tracing {
  /** Takes what finished into the histograms, and ends its spans. */
  readonly recorder: Recorder;
  /** From now on a scrape tells what `read` gives at that moment. To be called once. */
  observe(read: () => Snapshot): void;
  /** Everything in Prometheus' text format; rejects, with a sentence, when it is not to be had. */
  scrape(): Promise<string>;
  /** Sends what is left of the traces; never rejects, and takes as long as its tracer may. */
  shutdown(): Promise<void>;
}

/** Where traces go. */
export interface Traces {
  readonly tracer: Tracer;
  /** Never rejects. */
  shutdown(): Promise<void>;
}

/** No instrument may lose values: the SDK's 2000 would, and all labels here are of closed sets. */
const MOST_SERIES = 1_000_000;

/** Metrics that nobody else sees, without globals; spans where `traces` says so. `onMistake` hears of bugs of ours. */
export function createTelemetry(
  version: string,
  traces: Traces | null = null,
  onMistake: (error: unknown) => void = console.error,
): Telemetry {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const views = [{ instrumentName: '*', aggregationCardinalityLimit: MOST_SERIES }];
  const meter = new MeterProvider({ readers: [reader], views }).getMeter('jano', version);
  const histograms = new Histograms(meter);
  const lag = new EventLoopLag();
  const spans = traces === null ? null : new Spans(traces.tracer);
  return {
    ...(spans === null ? NO_TRACING : guarded(spans, onMistake)),
    recorder: spans === null ? histograms : new Recorders([histograms, spans], onMistake),
    observe: (read) => observeSnapshot(meter, read, lag),
    scrape: createScrape(reader),
    async shutdown() {
      lag.stop();
      await Promise.all([reader.shutdown(), traces?.shutdown()]);
    },
  };
}

/** Telemetry that is switched off: nothing is kept, and a scrape says why. */
export function createNoTelemetry(why: string): Telemetry {
  return {
    ...NO_TRACING,
    recorder: new Recorders([], () => undefined),
    observe: () => undefined,
    scrape: () => Promise.reject(new Error(why)),
    shutdown: () => Promise.resolve(),
  };
}

/** What fails in here must end no request. */
function guarded(tracing: Tracing, onMistake: (error: unknown) => void): Tracing {
  const attempt = <T>(act: () => T, otherwise: T): T => {
    try {
      return act();
    } catch (error) {
      onMistake(error);
      return otherwise;
    }
  };
  return {
    requestArrived: (request) => attempt(() => tracing.requestArrived(request), null),
    requestForwarded: (id, at) => attempt(() => tracing.requestForwarded(id, at), {}),
    swapStarted: (swap) => attempt(() => tracing.swapStarted(swap), null),
  };
}
