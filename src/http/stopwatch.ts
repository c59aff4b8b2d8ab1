/** Adds up stretches of time, finer than a millisecond. */
export class Stopwatch {
  #ms = 0;
  #runsSince: number | null = null;

  run(): void {
    this.#runsSince ??= performance.now();
  }

  pause(): void {
    this.#ms = this.ms;
    this.#runsSince = null;
  }

  /** What the stretches so far took, milliseconds. */
  get ms(): number {
    return this.#runsSince === null ? this.#ms : this.#ms + performance.now() - this.#runsSince;
  }
}
