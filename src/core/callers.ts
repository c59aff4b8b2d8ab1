import type { Outcome, RequestRecord, SwapRecord } from './record.ts';
import { timesOf } from './requestTimes.ts';
import { addTokens, NO_TOKENS, type TokenTotals, tokensOf } from './tokenTotals.ts';

/** Sums since start over the requests of one caller. */
export interface CallerTotals {
  /** `_other` stands for all that have no row of their own. */
  readonly caller: string;
  readonly requests: number;
  readonly served: number;
  /** Outcomes failed and cut. */
  readonly failed: number;
  readonly tokens: TokenTotals;
  readonly generationMs: number;
  readonly queueMs: number;
  /** Runs of the swap script that began for a request of its. */
  readonly swapsCaused: number;
  /** When the newest of these ended. */
  readonly lastSeenAt: number;
}

/** A caller that calls itself so is one of them. */
const OTHERS = '_other';

/** A caller makes up its own name, so that there may be any number. */
const ROWS_KEPT = 1000;
const LABELS_KEPT = 20;

/** Who asks, and what for: sums over all rows are the sums over all requests. */
export class Callers {
  /** Least recently seen first. */
  readonly #rows = new Map<string, CallerAccount>();
  readonly #others = new CallerAccount(OTHERS);
  readonly #labelled = new Map<string, CallerAccount>();
  readonly #unlabelled = new CallerAccount(OTHERS);

  requestClosed(record: RequestRecord): void {
    for (const account of this.#accountsOf(record.caller)) account.addRequest(record);
  }

  swapClosed({ cause: { caller }, endedAt }: SwapRecord): void {
    if (caller === null) return;
    for (const account of this.#accountsOf(caller)) account.addSwap(endedAt);
  }

  /** The last to be seen first; those who were forgotten at the end, as one. */
  get all(): readonly CallerTotals[] {
    return [...[...this.#rows.values()].toReversed(), this.#others].filter(wasSeen);
  }

  /** For metrics, whose rows must stay: the first 20 callers, and all others as one. Never less than before. */
  get labelled(): readonly CallerTotals[] {
    return [...this.#labelled.values(), this.#unlabelled].filter(wasSeen);
  }

  #accountsOf(caller: string): CallerAccount[] {
    return caller === OTHERS
      ? [this.#others, this.#unlabelled]
      : [this.#rowOf(caller), this.#labelOf(caller)];
  }

  #rowOf(caller: string): CallerAccount {
    const row = this.#rows.get(caller) ?? new CallerAccount(caller);
    this.#rows.delete(caller);
    this.#rows.set(caller, row);
    if (this.#rows.size > ROWS_KEPT) this.#foldOldest();
    return row;
  }

  #foldOldest(): void {
    for (const [caller, row] of this.#rows) {
      this.#rows.delete(caller);
      return this.#others.addAll(row);
    }
  }

  #labelOf(caller: string): CallerAccount {
    const known = this.#labelled.get(caller);
    if (known !== undefined) return known;
    if (this.#labelled.size === LABELS_KEPT) return this.#unlabelled;
    const label = new CallerAccount(caller);
    this.#labelled.set(caller, label);
    return label;
  }
}

class CallerAccount implements CallerTotals {
  readonly caller: string;
  requests = 0;
  served = 0;
  failed = 0;
  tokens = NO_TOKENS;
  generationMs = 0;
  queueMs = 0;
  swapsCaused = 0;
  lastSeenAt = 0;

  constructor(caller: string) {
    this.caller = caller;
  }

  addRequest(record: RequestRecord): void {
    const { queueMs, generationMs } = timesOf(record);
    this.requests += 1;
    if (record.outcome === 'served') this.served += 1;
    if (isFailure(record.outcome)) this.failed += 1;
    this.tokens = addTokens(this.tokens, tokensOf(record.usage));
    this.generationMs += generationMs ?? 0;
    this.queueMs += queueMs;
    this.lastSeenAt = record.endedAt;
  }

  addSwap(endedAt: number): void {
    this.swapsCaused += 1;
    this.lastSeenAt = endedAt;
  }

  addAll(row: CallerTotals): void {
    this.requests += row.requests;
    this.served += row.served;
    this.failed += row.failed;
    this.tokens = addTokens(this.tokens, row.tokens);
    this.generationMs += row.generationMs;
    this.queueMs += row.queueMs;
    this.swapsCaused += row.swapsCaused;
    this.lastSeenAt = Math.max(this.lastSeenAt, row.lastSeenAt);
  }
}

function isFailure(outcome: Outcome): boolean {
  return outcome === 'failed' || outcome === 'cut';
}

function wasSeen({ requests, swapsCaused }: CallerTotals): boolean {
  return requests + swapsCaused > 0;
}
