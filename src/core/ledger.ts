import { Callers } from './callers.ts';
import { msBetween } from './duration.ts';
import { backendRateOf, ModelAccount, type ModelTotals } from './modelTotals.ts';
import { RecentRates } from './recentRates.ts';
import type { Outcome, Recorder, RequestRecord, SwapRecord } from './record.ts';
import { Ring } from './ring.ts';
import { SlidingSum } from './slidingSum.ts';
import { type SwapCount, SwapCounts } from './swapCounts.ts';
import { type FollowedSwap, SwapTurns } from './swapTurns.ts';
import { tokensOf } from './tokenTotals.ts';

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const SWAPS_KEPT = 500;

/** Health as last seen; a model that is not listed was never asked. */
export type Health = 'up' | 'down';

export interface LastError {
  readonly at: number;
  readonly model: string | null;
  readonly message: string;
}

/**
 * The running account of finished work: totals since start, sliding sums and the newest records. No total
 * is made of what is kept for a while only, and none ever goes down.
 */
export class Ledger implements Recorder {
  readonly startedAt: number;
  readonly requests: Ring<RequestRecord>;
  readonly swaps = new Ring<FollowedSwap>(SWAPS_KEPT);
  readonly inputRates = new RecentRates();
  readonly outputRates = new RecentRates();
  readonly finishedLastMinute = new SlidingSum(MINUTE_MS);
  readonly outputTokensLastMinute = new SlidingSum(MINUTE_MS);
  readonly errorsLastQuarter = new SlidingSum(QUARTER_MS);
  /** Successful swaps, and the time that all swaps took, in ms. */
  readonly swapsLastHour = new SlidingSum(HOUR_MS);
  readonly swapMsLastHour = new SlidingSum(HOUR_MS);
  readonly callers = new Callers();
  readonly #health = new Map<string, Health>();
  readonly #totals = new Map<string | null, ModelAccount>();
  readonly #swapCounts = new SwapCounts();
  readonly #swapTurns = new SwapTurns();
  #swapsTotal = 0;
  #swapFailuresTotal = 0;
  #lastSwap: SwapRecord | null = null;
  #lastError: LastError | null = null;
  #lastRunEndedAt: number | null = null;

  constructor(recordsKept: number, startedAt: number) {
    this.requests = new Ring(recordsKept);
    this.startedAt = startedAt;
  }

  /** Sums per configured model that has had a request; under null those of requests of which none could be told. */
  get totals(): ReadonlyMap<string | null, ModelTotals> {
    return this.#totals;
  }

  /** All swaps since start, counted. */
  get swapCounts(): Iterable<SwapCount> {
    return this.#swapCounts.all();
  }

  get health(): ReadonlyMap<string, Health> {
    return this.#health;
  }

  /** Successful ones. */
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

  /** When a request last ended that had been sent to a backend, or null before the first. */
  get lastRunEndedAt(): number | null {
    return this.#lastRunEndedAt;
  }

  requestClosed(record: RequestRecord): void {
    this.requests.push(record);
    if (record.dispatchedAt !== null) this.#lastRunEndedAt = record.endedAt;
    this.finishedLastMinute.add(1, record.endedAt);
    if (record.outcome === 'failed' || record.outcome === 'cut') {
      this.#noteError(record.model, record.error ?? `status ${record.status}`, record.endedAt);
    }
    if (record.model !== null && isAnswer(record.outcome)) this.healthSeen(record.model, true);
    this.#accountOf(record.model).add(record);
    this.callers.requestClosed(record);
    this.#swapTurns.requestClosed(record);
    const { usage } = record;
    this.outputTokensLastMinute.add(tokensOf(usage).output, record.endedAt);
    this.inputRates.add(usage?.inputTokensPerSecond ?? null);
    this.outputRates.add(backendRateOf(usage));
  }

  swapClosed(record: SwapRecord): void {
    this.swaps.push(this.#swapTurns.swapClosed(record));
    this.#swapCounts.add(record);
    this.callers.swapClosed(record);
    this.swapMsLastHour.add(msBetween(record.startedAt, record.endedAt), record.endedAt);
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

  #accountOf(model: string | null): ModelAccount {
    const known = this.#totals.get(model);
    if (known !== undefined) return known;
    const account = new ModelAccount();
    this.#totals.set(model, account);
    return account;
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
