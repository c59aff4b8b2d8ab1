/** Keeps the newest `capacity` items; older ones fall off. */
export class Ring<T> {
  readonly #items: T[] = [];
  readonly #capacity: number;
  #next = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  push(item: T): void {
    this.#items[this.#next] = item;
    this.#next = (this.#next + 1) % this.#capacity;
  }

  /** Newest first, at most `limit` items. */
  newest(limit = this.#items.length): T[] {
    const count = Math.min(limit, this.#items.length);
    const split = this.#next;
    const oldestFirst = [...this.#items.slice(split), ...this.#items.slice(0, split)];
    return oldestFirst.toReversed().slice(0, count);
  }
}
