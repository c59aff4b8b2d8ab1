import type { Running } from '../core/snapshot.ts';
import { Emptiness } from './emptiness.ts';

/** Those that were sent to a backend and are not over. */
export class RunningRequests {
  readonly #ids = new Set<number>();
  readonly #shown = new Map<number, Running>();
  readonly #none = new Emptiness();

  begin(id: number): void {
    this.#ids.add(id);
  }

  has(id: number): boolean {
    return this.#ids.has(id);
  }

  /** Makes one visible, unless it is over already. */
  show(running: Running): void {
    if (this.has(running.id)) this.#shown.set(running.id, running);
  }

  end(id: number): void {
    this.#ids.delete(id);
    this.#shown.delete(id);
    if (this.count === 0) this.#none.announce();
  }

  get count(): number {
    return this.#ids.size;
  }

  /** The visible ones. */
  all(): Iterable<Running> {
    return this.#shown.values();
  }

  /** Resolves once there is none, at the latest after `limitMs`. */
  async untilNone(limitMs: number): Promise<void> {
    if (this.count > 0) await this.#none.within(limitMs);
  }
}
