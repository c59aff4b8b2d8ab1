/** A request that runs and may say nothing for ever, such as a websocket. */
export interface Silent {
  readonly id: number;
  readonly model: string;
  /** Since when no byte has passed either way, epoch milliseconds; it goes on changing. */
  readonly silentSince: number;
  /** Ends it. */
  close(): void;
}

/** Ends requests that have been silent for too long while somebody waits for the memory of their model. */
export class Silences {
  /** 0 = never. */
  readonly #limitMs: number;
  readonly #watched = new Map<number, Silent>();

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  watch(silent: Silent): void {
    this.#watched.set(silent.id, silent);
  }

  forget(id: number): void {
    this.#watched.delete(id);
  }

  /** What need never end is ended. */
  closeAll(): void {
    for (const silent of this.#watched.values()) silent.close();
    this.#watched.clear();
  }

  /** Closes, once, those of the models that have been silent long enough; gives when to look again, Infinity for never. */
  closeOverdue(models: readonly string[], now: number): number {
    let nextAt = Infinity;
    if (this.#limitMs === 0) return nextAt;
    for (const silent of this.#watched.values()) {
      if (!models.includes(silent.model)) continue;
      const endsAt = silent.silentSince + this.#limitMs;
      if (endsAt > now) {
        nextAt = Math.min(nextAt, endsAt);
        continue;
      }
      this.forget(silent.id);
      silent.close();
    }
    return nextAt;
  }
}
