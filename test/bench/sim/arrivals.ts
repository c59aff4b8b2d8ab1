import type { TraceRequest } from './trace.ts';

interface Arrival {
  readonly request: TraceRequest;
  readonly at: number;
}

/** The requests of a trace in order of their arrival, as far as it is known yet. */
export class Arrivals {
  readonly #coming: Arrival[] = [];
  readonly #followers = new Map<number, TraceRequest[]>();
  readonly #awaited = new Map<number, number>();

  constructor(requests: readonly TraceRequest[]) {
    for (const request of requests) {
      if (request.after.length === 0) {
        this.#insert({ request, at: request.delayMs });
        continue;
      }
      this.#awaited.set(request.id, request.after.length);
      for (const id of request.after) {
        this.#followers.set(id, [...(this.#followers.get(id) ?? []), request]);
      }
    }
  }

  /** When the next request comes, Infinity for never. */
  get nextAt(): number {
    return this.#coming[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  /** A request has been answered: those that waited for the answer come after their delay. */
  answered(id: number, now: number): void {
    for (const request of this.#followers.get(id) ?? []) {
      const awaited = (this.#awaited.get(request.id) ?? 0) - 1;
      this.#awaited.set(request.id, awaited);
      if (awaited === 0) this.#insert({ request, at: now + request.delayMs });
    }
  }

  /** The next request that has come by now. */
  take(now: number): TraceRequest | undefined {
    return this.nextAt <= now ? this.#coming.shift()?.request : undefined;
  }

  #insert(arrival: Arrival): void {
    const isLater = (other: Arrival): boolean =>
      other.at > arrival.at || (other.at === arrival.at && other.request.id > arrival.request.id);
    const index = this.#coming.findLastIndex((other) => !isLater(other)) + 1;
    this.#coming.splice(index, 0, arrival);
  }
}
