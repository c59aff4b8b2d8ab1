import { RecentRates } from './recentRates.ts';
import type { Outcome, RequestRecord, Unmetered } from './record.ts';
import { addTokens, NO_TOKENS, type TokenTotals, tokensOf } from './tokenTotals.ts';

/** Sums since start over the requests for one model; never less than before. */
export interface ModelTotals {
  /** Each outcome, also those that there have been none of. */
  readonly requests: Readonly<Record<Outcome, number>>;
  /** Of every answer, as far as it was seen, also of those that were abandoned or cut. */
  readonly tokens: TokenTotals;
  /** Answers whose tokens are not known, by the reason. */
  readonly unmetered: Readonly<Record<Unmetered, number>>;
  /** Speeds of prompt processing and of generation. */
  readonly inputRates: RecentRates;
  readonly outputRates: RecentRates;
}

/** Adds them up. */
export class ModelAccount implements ModelTotals {
  readonly requests: Record<Outcome, number> = {
    served: 0,
    refused: 0,
    failed: 0,
    cut: 0,
    rejected: 0,
    abandoned: 0,
  };
  readonly unmetered: Record<Unmetered, number> = {
    no_usage: 0,
    unreadable: 0,
    compressed: 0,
    too_large: 0,
    not_json: 0,
  };
  readonly inputRates = new RecentRates();
  readonly outputRates = new RecentRates();
  #tokens = NO_TOKENS;

  get tokens(): TokenTotals {
    return this.#tokens;
  }

  add({ outcome, unmetered, usage }: RequestRecord): void {
    this.requests[outcome] += 1;
    if (unmetered !== null) this.unmetered[unmetered] += 1;
    this.#tokens = addTokens(this.#tokens, tokensOf(usage));
    this.inputRates.add(usage?.inputTokensPerSecond ?? null);
    this.outputRates.add(backendRateOf(usage));
  }
}

/** What Jano only watched depends on how fast the caller reads: the mean is of what backends measured. */
export function backendRateOf(usage: RequestRecord['usage']): number | null {
  return usage?.outputRateSource === 'backend' ? usage.outputTokensPerSecond : null;
}
