import type { Backend } from '../core/backend.ts';

/** How many may wait, and with how many bytes of bodies; 0 bytes = no limit. */
export interface WaitingLimits {
  readonly maxWaiting: number;
  readonly maxWaitingBytes: number;
}

interface Guest {
  readonly turn: {
    readonly id: number;
    readonly backend: Backend;
    readonly bodyBytes: number;
    swapMs: number;
    swapIds: number[];
  };
  readonly queuedAt: number;
}

/** A swap under way: those who wait for its model wait for it. */
interface Load {
  readonly id: number;
  readonly to: string;
  readonly startedAt: number;
}

/** Those who wait for their turn, and the memory that they hold. Their order is the scheduler's. */
export class WaitingRoom<Waiter extends Guest> {
  readonly #limits: WaitingLimits;
  readonly #now: () => number;
  readonly #waiters = new Map<number, Waiter>();
  #bytes = 0;
  #load: Load | null = null;

  constructor(limits: WaitingLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Why there is no place for one more with a body of so many bytes; null where there is. */
  whyFullFor(bodyBytes: number): string | null {
    const { maxWaiting, maxWaitingBytes } = this.#limits;
    if (this.#waiters.size >= maxWaiting) return `${this.#waiters.size} requests wait already`;
    if (maxWaitingBytes === 0 || this.#bytes + bodyBytes <= maxWaitingBytes) return null;
    return `this body and those that wait are more than queue.maxWaitingBytes (${maxWaitingBytes} bytes)`;
  }

  add(waiter: Waiter): void {
    this.#waiters.set(waiter.turn.id, waiter);
    this.#bytes += waiter.turn.bodyBytes;
  }

  /** Takes one out; undefined when it does not wait. */
  take(id: number): Waiter | undefined {
    const waiter = this.#waiters.get(id);
    if (waiter === undefined) return undefined;
    this.#charge(waiter);
    this.#waiters.delete(id);
    this.#bytes -= waiter.turn.bodyBytes;
    return waiter;
  }

  /** Those who wait now. */
  all(): Iterable<Waiter> {
    return this.#waiters.values();
  }

  loadBegan(load: Load): void {
    this.#load = load;
  }

  loadEnded(): void {
    for (const waiter of this.#waiters.values()) this.#charge(waiter);
    this.#load = null;
  }

  /** Who waits for the model has waited for its load, from its arrival or the load's beginning. */
  #charge({ turn, queuedAt }: Waiter): void {
    if (this.#load === null || turn.backend.model !== this.#load.to) return;
    turn.swapMs += this.#now() - Math.max(queuedAt, this.#load.startedAt);
    turn.swapIds.push(this.#load.id);
  }
}
