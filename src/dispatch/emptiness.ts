/** Lets others wait until a collection is empty. */
export class Emptiness {
  readonly #waiting = new Set<() => void>();

  /** To be called whenever the collection has become empty. */
  announce(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** Resolves at the next announcement, at the latest after `limitMs`. */
  async within(limitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const limit = setTimeout(resolve, limitMs);
    await promise;
    clearTimeout(limit);
    this.#waiting.delete(resolve);
  }
}
