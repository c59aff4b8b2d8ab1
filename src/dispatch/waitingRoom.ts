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
  };
  readonly queuedAt: number;
}

/** Those who wait for their turn, and the memory that they hold. Their order is the scheduler's. */
export class WaitingRoom<Waiter extends Guest> {
  readonly #limits: WaitingLimits;
  readonly #waiters = new Map<number, Waiter>();
  #bytes = 0;

  constructor(limits: WaitingLimits) {
    this.#limits = limits;
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
    this.#waiters.delete(id);
    this.#bytes -= waiter.turn.bodyBytes;
    return waiter;
  }

  /** Those who wait now. */
  all(): Iterable<Waiter> {
    return this.#waiters.values();
  }

  /** Who waits for the model has waited for this load, from its arrival or the load's beginning. */
  chargeLoad(model: string, ms: number, now: number): void {
    for (const { turn, queuedAt } of this.#waiters.values()) {
      if (turn.backend.model === model) turn.swapMs += Math.min(ms, now - queuedAt);
    }
  }
}
