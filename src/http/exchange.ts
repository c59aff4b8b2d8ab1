import type { IncomingMessage } from 'node:http';
import type { Outcome } from '../core/record.ts';
import type { Running } from '../core/snapshot.ts';
import { AnswerTap } from './answerTap.ts';
import type { HeldBody } from './body/heldBody.ts';
import type { BodyReading } from './body/readBody.ts';
import type { Turn } from '../dispatch/turn.ts';
import { Stopwatch } from './stopwatch.ts';

/** What went wrong with a request on our side of the caller. */
export interface Failure {
  readonly outcome: Extract<Outcome, 'failed' | 'cut' | 'rejected'>;
  readonly message: string;
}

/** What Jano knows of a request from its arrival to its end. */
export interface Exchange {
  readonly id: number;
  /** Of the trace that it is a part of, or null where nobody traces. */
  readonly traceId: string | null;
  readonly arrivedAt: number;
  readonly caller: string;
  readonly method: string;
  /** As the caller sent it, with the query. */
  readonly path: string;
  /** Lower-case names of headers that hold a key of Jano's own. */
  readonly privateHeaders: ReadonlySet<string>;
  /** Its place in the order; null until the model is known. */
  turn: Turn | null;
  /** The path for the backend. */
  backendPath: string;
  /** Null before it was read, and once it was sent or is not wanted any more. */
  body: HeldBody | null;
  /** While the body is being read. */
  reading: BodyReading | null;
  /** Null when the request has no body and said nothing of one. */
  bodyLength: number | null;
  /** What the backend answers, once its head is there. */
  answer: IncomingMessage | null;
  isStream: boolean;
  /** Its conversation has an id, under which its server goes on with the answer when the caller has left. */
  isResumable: boolean;
  /** Gets the id that the answer gives itself; null where nobody will refer to it. */
  onAnswerId: ((id: string) => void) | null;
  firstByteAt: number | null;
  /** When a byte of the answer last passed. */
  movedAt: number | null;
  /** Bytes of the answer's body that have passed; of a websocket, those of both ways. */
  bytes: number;
  readonly tap: AnswerTap;
  /** Runs while it is Jano that works on it: not while the body comes, it waits, or the backend is at it. */
  readonly overhead: Stopwatch;
  /** Runs while the backend's silence is limited. */
  silence: NodeJS.Timeout | null;
  /** Its silence was too long; the backend may be at work on it all the same. */
  isGivenUp: boolean;
  failure: Failure | null;
  /** Its response has closed. */
  isOver: boolean;
}

/** An exchange whose model is known. */
export type Admitted = Exchange & { readonly turn: Turn };

const exchanges = new WeakMap<IncomingMessage, Exchange>();

/** Opens the account of a request that has just arrived. */
export function openExchange(
  req: IncomingMessage,
  facts: Pick<Exchange, 'id' | 'traceId' | 'arrivedAt' | 'caller' | 'path' | 'privateHeaders'>,
): Exchange {
  const exchange: Exchange = {
    ...facts,
    method: req.method ?? 'GET',
    turn: null,
    backendPath: facts.path,
    body: null,
    reading: null,
    bodyLength: null,
    answer: null,
    isStream: false,
    isResumable: false,
    onAnswerId: null,
    firstByteAt: null,
    movedAt: null,
    bytes: 0,
    tap: new AnswerTap(),
    overhead: new Stopwatch(),
    silence: null,
    isGivenUp: false,
    failure: null,
    isOver: false,
  };
  exchange.overhead.run();
  exchanges.set(req, exchange);
  return exchange;
}

/** The account of an admitted request; throws when it was not admitted, which is a bug. */
export function exchangeOf(req: IncomingMessage): Admitted {
  const exchange = exchanges.get(req);
  if (exchange === undefined || !isAdmitted(exchange)) throw new Error('request was not admitted');
  return exchange;
}

/** The exchange as one of the running requests; what it shows goes on changing. */
export function runningOf(exchange: Admitted): Running {
  const { id, caller, arrivedAt, turn } = exchange;
  const dispatchedAt = turn.dispatchedAt ?? arrivedAt;
  return {
    id,
    caller,
    model: turn.backend.model,
    dispatchedAt,
    get movedAt() {
      return exchange.movedAt ?? dispatchedAt;
    },
    get firstByteAt() {
      return exchange.firstByteAt;
    },
    get bytes() {
      return exchange.bytes;
    },
  };
}

function isAdmitted(exchange: Exchange): exchange is Admitted {
  return exchange.turn !== null;
}
