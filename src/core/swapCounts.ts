import type { SwapOutcome, SwapRecord } from './record.ts';

/** How many swaps of one kind there were since start; never less than before. */
export interface SwapCount {
  /** The model that made room, `several`, or `none`. */
  readonly from: string;
  readonly to: string;
  readonly outcome: SwapOutcome;
  readonly count: number;
}

/** Counts swaps by what left, what came and how it ended. */
export class SwapCounts {
  readonly #counts = new Map<string, SwapCount>();

  add({ from, to, outcome }: SwapRecord): void {
    const kind = { from: inOneWord(from), to, outcome };
    const key = JSON.stringify(Object.values(kind));
    this.#counts.set(key, { ...kind, count: (this.#counts.get(key)?.count ?? 0) + 1 });
  }

  /** Those kinds that there have been, each once. */
  all(): Iterable<SwapCount> {
    return this.#counts.values();
  }
}

function inOneWord(models: readonly string[]): string {
  return models.length > 1 ? 'several' : (models[0] ?? 'none');
}
