/** Things to do in order of their time, then of their adding. */
export class Timeline {
  readonly #entries: { readonly at: number; readonly act: () => void }[] = [];

  /** When the next one is due, Infinity when there is none. */
  get nextAt(): number {
    return this.#entries[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  add(at: number, act: () => void): void {
    const index = this.#entries.findLastIndex((entry) => entry.at <= at) + 1;
    this.#entries.splice(index, 0, { at, act });
  }

  take(): (() => void) | undefined {
    return this.#entries.shift()?.act;
  }
}
