import type { Backend } from './backend.ts';

/** Counts the swaps that serving in arrival order would have cost: a machine that is only imagined. */
export class ArrivalOrder {
  readonly #memoryBudget: number;
  /** Least recently used first. */
  #resident: Backend[] = [];
  #swaps = 0;

  constructor(memoryBudget: number) {
    this.#memoryBudget = memoryBudget;
  }

  /** A model that is resident without a swap. */
  seed(backend: Backend): void {
    if (!backend.pinned && !this.#resident.includes(backend)) this.#resident.push(backend);
  }

  /** A request arrives. */
  add(backend: Backend): void {
    if (backend.pinned) return;
    if (!this.#resident.includes(backend)) {
      this.#swaps += 1;
      this.#makeRoom(backend.memory);
    }
    this.#resident = [...this.#resident.filter((other) => other !== backend), backend];
  }

  /** A model has left memory without a swap: its server died, or its ttl ran out. */
  forget(model: string): void {
    this.#resident = this.#resident.filter((backend) => backend.model !== model);
  }

  get swaps(): number {
    return this.#swaps;
  }

  #makeRoom(memory: number): void {
    let free = this.#memoryBudget - this.#resident.reduce((sum, other) => sum + other.memory, 0);
    while (free < memory) {
      const leaving = this.#resident.shift();
      if (leaving === undefined) return;
      free += leaving.memory;
    }
  }
}
