import type { Operation } from './operation.ts';
import type { Usage } from './usage/usage.ts';

/** How a request ended; see docs of /usage. `abandoned`: the caller left. `rejected`: never sent to a backend. */
export type Outcome = 'served' | 'refused' | 'failed' | 'cut' | 'rejected' | 'abandoned';

/** Why the tokens of an answer that has some are not known. */
export type Unmetered = 'no_usage' | 'unreadable' | 'compressed' | 'too_large' | 'not_json';

/** Everything known about one request once it is over. Times are epoch milliseconds. */
export interface RequestRecord {
  readonly id: number;
  /** Of the trace it is a part of, or null where nobody traces. */
  readonly traceId: string | null;
  /** The configured model, or null when none could be told. */
  readonly model: string | null;
  readonly caller: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** What was asked of the backend, or null when that is nothing that has tokens. */
  readonly operation: Operation | null;
  /** What the caller was told; 499 when it left. */
  readonly status: number;
  readonly outcome: Outcome;
  readonly stream: boolean;
  readonly arrivedAt: number;
  /** When it left the queue for its backend, or null if it never did. */
  readonly dispatchedAt: number | null;
  /** When the first byte of the answer's body came, or null. */
  readonly firstByteAt: number | null;
  /** When the first generated text came (content, reasoning or a tool's arguments), and the last event with data; null where none did. */
  readonly firstTokenAt: number | null;
  readonly lastEventAt: number | null;
  readonly endedAt: number;
  /** How long its own model was being loaded while it waited, and by which swaps. */
  readonly swapMs: number;
  readonly swapIds: readonly number[];
  /** What Jano itself added, or null if it was never dispatched. */
  readonly overheadMs: number | null;
  /** What the backend reported, or null if nothing usable. */
  readonly usage: Usage | null;
  /** Why `usage` says nothing where it should; null where it does, or need not. */
  readonly unmetered: Unmetered | null;
  /** Why the backend stopped generating, in its own words; one for each choice. */
  readonly finishReasons: readonly string[];
  readonly error: string | null;
}

export type SwapOutcome = 'ok' | 'script_failed' | 'timeout';

/** Why a swap was begun, and for whom. */
export interface SwapCause {
  /** The request at the head of those that wait for the model; null for a preload. */
  readonly requestId: number | null;
  readonly caller: string | null;
  readonly why: string;
}

/** One run of the swap script and what came of it. A retry is a record of its own. Times are epoch milliseconds. */
export interface SwapRecord {
  readonly id: number;
  /** Of its own trace, or null where nobody traces. */
  readonly traceId: string | null;
  readonly from: readonly string[];
  readonly to: string;
  readonly cause: SwapCause;
  readonly outcome: SwapOutcome;
  readonly startedAt: number;
  readonly endedAt: number;
  /** How long the script ran; how long the backend took to be ready after it, null if it never came to that. */
  readonly scriptMs: number;
  readonly readyMs: number | null;
  /** Requests that waited for the model when the swap ended. */
  readonly waited: number;
  readonly error: string | null;
}

/** The one place where finished work is reported. */
export interface Recorder {
  requestClosed(record: RequestRecord): void;
  swapClosed(record: SwapRecord): void;
  /** A model could not be unloaded: why, and when it was given up. */
  unloadFailed(model: string, message: string, at: number): void;
  /** A backend's health was asked, or could be told otherwise. */
  healthSeen(model: string, isUp: boolean): void;
}
