import type { ServerResponse } from 'node:http';
import { Emptiness } from '../dispatch/emptiness.ts';
import { stopping } from '../dispatch/rejectedError.ts';
import { problemOf, sendProblem } from './errors.ts';
import type { Exchange } from './exchange.ts';

/** The requests under way, from their arrival to their record. */
export class OpenExchanges {
  readonly #open = new Map<Exchange, ServerResponse>();
  readonly #none = new Emptiness();

  add(exchange: Exchange, res: ServerResponse): void {
    this.#open.set(exchange, res);
  }

  delete(exchange: Exchange): void {
    this.#open.delete(exchange);
    if (this.#open.size === 0) this.#none.announce();
  }

  /** Jano stops: who still sends its body need not send the rest. */
  refuseUploads(): void {
    for (const exchange of this.#open.keys()) {
      exchange.reading?.refuse(problemOf(stopping(), exchange.method));
    }
  }

  /** Ends what is still under way: with an error where nothing was sent yet, else by breaking the connection. */
  breakOff(): void {
    const message = 'jano stopped before the answer was complete';
    for (const [exchange, res] of this.#open) {
      if (exchange.isOver) continue;
      // The head of a websocket is a whole answer, though Node 22 waits for all that follows it.
      if (res.statusCode !== 101 && !res.writableFinished) {
        exchange.failure ??= { outcome: res.headersSent ? 'cut' : 'failed', message };
      }
      if (res.headersSent) res.destroy();
      else sendProblem(res, exchange.backendPath, problemOf(stopping(), exchange.method));
    }
  }

  /** Resolves once each has its record, at the latest after `limitMs`. */
  async untilNone(limitMs: number): Promise<void> {
    if (this.#open.size > 0) await this.#none.within(limitMs);
  }
}
