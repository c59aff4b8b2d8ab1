import type { SwapUnderWay } from './snapshot.ts';

/** A request as it arrives, with the headers that may make it a part of a trace of its caller's. */
export interface ArrivedRequest {
  readonly id: number;
  readonly arrivedAt: number;
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
}

/** Follows requests and swaps while they last; their records end what it has begun. */
export interface Tracing {
  /** The id of the trace that the request is a part of, or null when it is not traced. */
  requestArrived(request: ArrivedRequest): string | null;
  /** It goes to its backend: the headers that carry the trace on, none when the caller's are to stay as they are. */
  requestForwarded(id: number, at: number): Readonly<Record<string, string>>;
  /** The id of the swap's own trace, or null when it is not traced. */
  swapStarted(swap: SwapUnderWay): string | null;
}

/** Where nobody asked for traces. */
export const NO_TRACING: Tracing = {
  requestArrived: () => null,
  requestForwarded: () => ({}),
  swapStarted: () => null,
};
