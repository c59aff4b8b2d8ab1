import type { Backend } from '../core/backend.ts';
import type { SwapCause, SwapOutcome } from '../core/record.ts';

export interface SwapOrder {
  readonly load: Backend;
  readonly unload: readonly Backend[];
  readonly cause: SwapCause;
}

export type SwapPhase = 'script' | 'ready';

export interface SwapResult {
  readonly outcome: SwapOutcome;
  readonly scriptMs: number;
  /** Null when readiness was never waited for. */
  readonly readyMs: number | null;
  /** What went wrong, with the script's last lines of stderr; null when it went well. */
  readonly error: string | null;
}

/** All that Jano does to backends besides forwarding: running the user's script and asking for health. Nothing here rejects. */
export interface Swapper {
  /** Makes a model resident: script, then readiness, under one deadline. */
  swap(order: SwapOrder, onPhase: (phase: SwapPhase) => void): Promise<SwapResult>;
  /** Runs `unload <model>`; null, or what went wrong. */
  unload(backend: Backend): Promise<string | null>;
  /** Names of the backends, without the pinned, that can serve now: by `status` of the script and health, else by health alone. */
  findResident(backends: readonly Backend[]): Promise<ReadonlySet<string>>;
  /** Whether the backend's health check holds now; asked once, within two seconds. */
  isHealthy(backend: Backend): Promise<boolean>;
  /** How many requests the backend takes at once (/props total_slots), or null. */
  askParallel(backend: Backend): Promise<number | null>;
  /** Asks every `swap.poll`, until `end` fires, how many of the backend's slots are at work (/slots); tells null when it does not say. */
  watchSlots(
    backend: Backend,
    tell: (busy: number | null) => void,
    end: AbortSignal,
  ): Promise<void>;
  /** Ends a running script and whatever it started in its group: TERM, then KILL. */
  close(): Promise<void>;
}
