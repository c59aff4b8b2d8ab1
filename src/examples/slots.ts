import type { Generation } from './generation.ts';

/** One place to generate in. */
export interface Slot {
  readonly id: number;
  isProcessing: boolean;
  /** What runs in it, or ran in it last; null before the first. */
  generation: Generation | null;
}

/** The places of a model server; whoever finds none free waits for one, first come, first served. */
export class Slots {
  readonly all: readonly Slot[];
  readonly #waiting: ((slot: Slot | null) => void)[] = [];

  constructor(count: number) {
    this.all = Array.from({ length: count }, (_, id) => ({
      id,
      isProcessing: false,
      generation: null,
    }));
  }

  /** A slot, to be given back with `release`; null when the signal was aborted before one was free. */
  take(signal: AbortSignal): Promise<Slot | null> {
    if (signal.aborted) return Promise.resolve(null);
    const free = this.all.find((slot) => !slot.isProcessing);
    if (free !== undefined) {
      free.isProcessing = true;
      return Promise.resolve(free);
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      signal.addEventListener('abort', () => this.#leave(resolve), { once: true });
    });
  }

  release(slot: Slot): void {
    const next = this.#waiting.shift();
    if (next === undefined) slot.isProcessing = false;
    else next(slot);
  }

  #leave(resolve: (slot: Slot | null) => void): void {
    const place = this.#waiting.indexOf(resolve);
    if (place === -1) return;
    this.#waiting.splice(place, 1);
    resolve(null);
  }
}
