/** Seeded random numbers (mulberry32): the same on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** A whole number, both ends included. */
  integer(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  /** Evenly spread on a logarithmic scale. */
  logarithmic(low: number, high: number): number {
    return Math.exp(this.between(Math.log(low), Math.log(high)));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of a non-empty list, each as likely as its weight says. */
  pick<T>(items: readonly T[], weights: readonly number[] = items.map(() => 1)): T {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    let rest = this.next() * total;
    for (const [index, item] of items.entries()) {
      rest -= weights[index] ?? 0;
      if (rest < 0) return item;
    }
    const last = items.at(-1);
    if (last === undefined) throw new Error('nothing to pick from');
    return last;
  }
}
