const BUCKET_MS = 1000;

interface Bucket {
  readonly startsAt: number;
  sum: number;
}

/** Sum of what was added within the last `windowMs`, to the second; its memory is bounded by the window. */
export class SlidingSum {
  readonly #windowMs: number;
  #buckets: Bucket[] = [];

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  add(amount: number, now: number): void {
    this.#forget(now);
    const startsAt = now - (now % BUCKET_MS);
    const newest = this.#buckets.at(-1);
    if (newest?.startsAt === startsAt) newest.sum += amount;
    else this.#buckets.push({ startsAt, sum: amount });
  }

  /** What was added at or after `since` (the whole window if absent), and not later than `now`: the clock may have been set back. */
  total(now: number, since = now - this.#windowMs): number {
    this.#forget(now);
    let total = 0;
    for (const { startsAt, sum } of this.#buckets) {
      if (startsAt > since - BUCKET_MS && startsAt <= now) total += sum;
    }
    return total;
  }

  #forget(now: number): void {
    const keepFrom = now - this.#windowMs - BUCKET_MS;
    const stale = this.#buckets.findIndex(({ startsAt }) => startsAt > keepFrom);
    if (stale > 0) this.#buckets = this.#buckets.slice(stale);
    else if (stale === -1) this.#buckets = [];
  }
}
