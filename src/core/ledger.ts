import type { Outcome, Recorder, RequestRecord, SwapRecord } from './record.ts';
import { Ring } from './ring.ts';
import { SlidingSum } from './slidingSum.ts';

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const RATES_KEPT = 30;
const SWAPS_KEPT = 500;

/** Sums since start for one model. */
export interface ModelTotals {
  readonly served: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Generation speed of the newest answers that reported one, tokens per second. */
  readonly outputRates: Ring<number>;
}

/** Health as last seen; a model that is not listed was never asked. */
export type Health = 'up' | 'down';

export interface LastError {
  readonly at: number;
  readonly model: string | null;
  readonly message: string;
}

/** The running account of finished work: totals since start, sliding sums and the newest records. */
export class Ledger implements Recorder {
  readonly startedAt: number;
  readonly requests: Ring<RequestRecord>;
  readonly swaps = new Ring<SwapRecord>(SWAPS_KEPT);
  readonly inputRates = new Ring<number>(RATES_KEPT);
  readonly outputRates = new Ring<number>(RATES_KEPT);
  readonly finishedLastMinute = new SlidingSum(MINUTE_MS);
  readonly outputTokensLastMinute = new SlidingSum(MINUTE_MS);
  readonly errorsLastQuarter = new SlidingSum(QUARTER_MS);
  /** Successful swaps, and the time that all swaps took, in ms. */
  readonly swapsLastHour = new SlidingSum(HOUR_MS);
  readonly swapMsLastHour = new SlidingSum(HOUR_MS);
  readonly #health = new Map<string, Health>();
  readonly #totals = new Map<string, ModelTotals>();
  #swapsTotal = 0;
  #swapFailuresTotal = 0;
  #lastSwap: SwapRecord | null = null;
  #lastError: LastError | null = null;

  constructor(recordsKept: number, startedAt: number) {
    this.requests = new Ring(recordsKept);
    this.startedAt = startedAt;
  }

  /** Sums per model that has had a request. */
  get totals(): ReadonlyMap<string, ModelTotals> {
    return this.#totals;
  }

  get health(): ReadonlyMap<string, Health> {
    return this.#health;
  }

  get swapsTotal(): number {
    return this.#swapsTotal;
  }

  get swapFailuresTotal(): number {
    return this.#swapFailuresTotal;
  }

  /** The last successful swap, or null before the first. */
  get lastSwap(): SwapRecord | null {
    return this.#lastSwap;
  }

  get lastError(): LastError | null {
    return this.#lastError;
  }

  requestClosed(record: RequestRecord): void {
    this.requests.push(record);
    this.finishedLastMinute.add(1, record.endedAt);
    if (record.outcome === 'failed' || record.outcome === 'cut') {
      this.#noteError(record.model, record.error ?? `status ${record.status}`, record.endedAt);
    }
    if (record.model === null) return;
    if (isAnswer(record.outcome)) this.healthSeen(record.model, true);
    this.#addToModel(record.model, record);
  }

  swapClosed(record: SwapRecord): void {
    this.swaps.push(record);
    this.swapMsLastHour.add(record.endedAt - record.startedAt, record.endedAt);
    this.healthSeen(record.to, record.outcome === 'ok');
    if (record.outcome === 'ok') {
      this.#swapsTotal += 1;
      this.#lastSwap = record;
      this.swapsLastHour.add(1, record.endedAt);
    } else {
      this.#swapFailuresTotal += 1;
      this.#noteError(record.to, record.error ?? record.outcome, record.endedAt);
    }
  }

  unloadFailed(model: string, message: string, at: number): void {
    this.#lastError = { at, model, message };
  }

  healthSeen(model: string, isUp: boolean): void {
    this.#health.set(model, isUp ? 'up' : 'down');
  }

  #addToModel(model: string, { usage, outcome, endedAt }: RequestRecord): void {
    const before = this.#totals.get(model) ?? emptyTotals();
    this.#totals.set(model, {
      ...before,
      served: before.served + (outcome === 'served' ? 1 : 0),
      inputTokens: before.inputTokens + (usage?.inputTokens ?? 0),
      outputTokens: before.outputTokens + (usage?.outputTokens ?? 0),
    });
    if (usage === null) return;
    this.outputTokensLastMinute.add(usage.outputTokens ?? 0, endedAt);
    if (usage.inputTokensPerSecond !== null) this.inputRates.push(usage.inputTokensPerSecond);
    if (usage.outputTokensPerSecond === null) return;
    this.outputRates.push(usage.outputTokensPerSecond);
    before.outputRates.push(usage.outputTokensPerSecond);
  }

  #noteError(model: string | null, message: string, at: number): void {
    this.errorsLastQuarter.add(1, at);
    this.#lastError = { at, model, message };
  }
}

/** The backend itself ended the request in order. */
function isAnswer(outcome: Outcome): boolean {
  return outcome === 'served' || outcome === 'refused';
}

function emptyTotals(): ModelTotals {
  return { served: 0, inputTokens: 0, outputTokens: 0, outputRates: new Ring(RATES_KEPT) };
}
