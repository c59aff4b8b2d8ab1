import type { Backend } from '../core/backend.ts';

/** A request that asks for its turn. The dispatcher sets what can change. */
export interface Turn {
  readonly id: number;
  readonly backend: Backend;
  readonly caller: string;
  /** Memory that it holds while it waits. */
  readonly bodyBytes: number;
  /** False: it runs at once if its model is resident, else never. */
  readonly causesSwap: boolean;
  dispatchedAt: number | null;
  /** How long its own model was being loaded while it waited. */
  swapMs: number;
  /** The swaps to its own model that it waited for. */
  swapIds: number[];
}
