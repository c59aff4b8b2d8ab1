import type { ArrivalOrder } from './arrivalOrder.ts';
import type { Catalog } from './catalog.ts';
import type { Health, Ledger } from './ledger.ts';
import { ModelAccount, type ModelTotals } from './modelTotals.ts';
import { type Explained, explainWaiting } from './policy/explain.ts';
import { expectedSwapMs } from './policy/costs.ts';
import { type ModelState, modelState } from './policy/state.ts';
import type { SwapCause } from './record.ts';
import type { Scheduler } from './scheduler.ts';

/** A request that a backend is answering. Its handler keeps it up to date. */
export interface Running {
  readonly id: number;
  readonly model: string;
  readonly caller: string;
  readonly dispatchedAt: number;
  readonly firstByteAt: number | null;
  /** When a byte of it last passed, or it was dispatched. */
  readonly movedAt: number;
  /** Bytes of the answer's body that have passed. */
  readonly bytes: number;
}

/** The swap under way. */
export interface SwapUnderWay {
  readonly id: number;
  readonly from: readonly string[];
  readonly to: string;
  readonly cause: SwapCause;
  readonly phase: 'script' | 'ready';
  readonly startedAt: number;
}

/** What is going on outside of the scheduler's state. */
export interface Activity {
  readonly running: Iterable<Running>;
  readonly swap: SwapUnderWay | null;
}

export interface SnapshotParts {
  readonly catalog: Catalog;
  readonly scheduler: Scheduler;
  readonly ledger: Ledger;
  readonly arrivalOrder: ArrivalOrder;
  readonly activity: Activity;
}

/** One consistent reading of everything that Jano reports. Times are epoch milliseconds. */
export interface Snapshot {
  readonly takenAt: number;
  readonly startedAt: number;
  /** In the order of the config. */
  readonly models: readonly ModelReading[];
  /** The resident model used last, swappable ones first; null when none is resident. */
  readonly current: ModelReading | null;
  readonly oldestQueuedAt: number | null;
  readonly waiting: readonly Explained[];
  readonly running: readonly Running[];
  readonly swap: (SwapUnderWay & { readonly expectedMs: number | null }) | null;
  readonly ledger: Ledger;
  readonly swapsArrivalOrder: number;
}

export interface ModelReading {
  readonly model: string;
  readonly presence: ModelState['presence'];
  readonly pinned: boolean;
  readonly loadedAt: number | null;
  readonly usedAt: number;
  readonly waiting: number;
  readonly inFlight: number;
  readonly health: Health | 'unknown';
  /** Zeros before its first request. */
  readonly totals: ModelTotals;
}

/** Reads everything at `now`; nothing is changed and no backend is asked. */
export function takeSnapshot(parts: SnapshotParts, now: number): Snapshot {
  const { catalog, scheduler, ledger, arrivalOrder, activity } = parts;
  const { state } = scheduler;
  const models = catalog.backends.map(({ model }) => readModel(modelState(state, model), ledger));
  const { swap } = activity;
  return {
    takenAt: now,
    startedAt: ledger.startedAt,
    models,
    current: currentOf(models),
    oldestQueuedAt: oldestOf([...state.models.values()]),
    waiting: explainWaiting(state, swap?.startedAt ?? null, now),
    running: [...activity.running],
    swap: swap && { ...swap, expectedMs: measuredSwapMs(scheduler, swap.to) },
    ledger,
    swapsArrivalOrder: arrivalOrder.swaps,
  };
}

/** The resident model that a request without a model goes to; swappable ones before pinned ones. */
export function currentOf<T extends Pick<ModelReading, 'presence' | 'pinned' | 'usedAt'>>(
  models: readonly T[],
): T | null {
  const resident = models.filter(({ presence }) => presence === 'resident');
  const ranked = resident.toSorted(
    (a, b) => Number(a.pinned) - Number(b.pinned) || b.usedAt - a.usedAt,
  );
  return ranked[0] ?? null;
}

function readModel(state: ModelState, ledger: Ledger): ModelReading {
  const { model, presence, pinned, loadedAt, usedAt, inFlight, visits } = state;
  return {
    model,
    presence,
    pinned,
    loadedAt,
    usedAt,
    waiting: state.waiting.length,
    inFlight: inFlight + visits,
    health: healthOf(state, ledger.health.get(model)),
    totals: ledger.totals.get(model) ?? new ModelAccount(),
  };
}

/** What was up is unknown once it has left memory; what failed to come up stays down. */
function healthOf(state: ModelState, seen: Health | undefined): Health | 'unknown' {
  if (seen === undefined) return 'unknown';
  return seen === 'down' || state.presence === 'resident' ? seen : 'unknown';
}

function oldestOf(models: readonly ModelState[]): number | null {
  const heads = models.flatMap(({ waiting }) => waiting.slice(0, 1));
  return heads.length === 0 ? null : Math.min(...heads.map(({ queuedAt }) => queuedAt));
}

function measuredSwapMs(scheduler: Scheduler, model: string): number | null {
  const state = modelState(scheduler.state, model);
  return state.swapMs === null ? null : Math.round(expectedSwapMs(scheduler.state, state));
}
