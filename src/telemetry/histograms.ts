import type { Histogram, Meter } from '@opentelemetry/api';
import type { Recorder, RequestRecord, SwapRecord } from '../core/record.ts';
import { timesOf } from '../core/requestTimes.ts';
import { METRICS, type Metric } from './metrics.ts';
import type { Labels } from './reading.ts';

export const SWAP_S = [0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320, 640];
const WAIT_S = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320, 640];
/** The conventions' own end at 82 and at 10 seconds; local models take minutes. */
const REQUEST_S = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 160, 320,
  640,
];
const FIRST_TOKEN_S = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
  160, 320,
];
const PER_TOKEN_S = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5,
  10,
];
const OVERHEAD_S = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
];

/** Lengths of time of what finished, by size. */
export class Histograms implements Recorder {
  readonly #swap: Histogram;
  readonly #queueWait: Histogram;
  readonly #swapWait: Histogram;
  readonly #request: Histogram;
  readonly #firstToken: Histogram;
  readonly #perToken: Histogram;
  readonly #overhead: Histogram;

  constructor(meter: Meter) {
    const create = ({ name, description, unit }: Metric, boundaries: number[]): Histogram =>
      meter.createHistogram(name, {
        description,
        unit,
        advice: { explicitBucketBoundaries: boundaries },
      });
    this.#swap = create(METRICS.swapDuration, SWAP_S);
    this.#queueWait = create(METRICS.queueWait, WAIT_S);
    this.#swapWait = create(METRICS.swapWait, WAIT_S);
    this.#request = create(METRICS.requestDuration, REQUEST_S);
    this.#firstToken = create(METRICS.firstToken, FIRST_TOKEN_S);
    this.#perToken = create(METRICS.perToken, PER_TOKEN_S);
    this.#overhead = create(METRICS.overhead, OVERHEAD_S);
  }

  requestClosed(record: RequestRecord): void {
    const { model, operation, dispatchedAt, overheadMs, usage } = record;
    if (model === null || dispatchedAt === null) return;
    const times = timesOf(record);
    put(this.#queueWait, times.queueMs, { model });
    put(this.#swapWait, times.swapMs, { model });
    put(this.#overhead, overheadMs, {});
    if (operation === null) return;
    const labels = { 'gen_ai.request.model': model, 'gen_ai.operation.name': operation };
    put(this.#request, times.totalMs, labels);
    put(this.#firstToken, times.firstTokenMs, labels);
    // By the same rule as the rate in /usage: the backend's own figure, else what was watched if that was enough.
    const rate = usage?.outputTokensPerSecond ?? null;
    put(this.#perToken, rate === null ? null : 1000 / rate, labels);
  }

  swapClosed({ to, outcome, startedAt, endedAt }: SwapRecord): void {
    put(this.#swap, Math.max(0, endedAt - startedAt), { model: to, outcome });
  }

  unloadFailed(): void {
    // No length of time.
  }

  healthSeen(): void {
    // No length of time.
  }
}

/** What is unknown is left out; one value that is no number would stay in the sum for good. */
function put(histogram: Histogram, ms: number | null, labels: Labels): void {
  if (ms !== null && Number.isFinite(ms) && ms >= 0) histogram.record(ms / 1000, { ...labels });
}
