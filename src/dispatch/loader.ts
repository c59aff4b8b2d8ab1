import type { Backend } from '../core/backend.ts';
import type { Catalog } from '../core/catalog.ts';
import type { Recorder, SwapCause, SwapOutcome } from '../core/record.ts';
import type { Action } from '../core/scheduler.ts';
import type { SwapUnderWay } from '../core/snapshot.ts';
import type { Tracing } from '../core/tracing.ts';
import type { Swapper } from '../swap/swapper.ts';

/** What became of the loader's work; the dispatcher hands it on to the scheduler. */
export interface LoaderEvents {
  swapBegan(swap: SwapUnderWay): void;
  swapEnded(outcome: SwapOutcome, ms: number): void;
  unloadEnded(model: string, ok: boolean): void;
  probeEnded(model: string, isHealthy: boolean): void;
  /** Whether its server has slots, and so can tell how many of them are at work. */
  slotsServed(model: string, areServed: boolean): void;
  parallelKnown(model: string, parallel: number): void;
  /** Whether it is to be asked again. */
  slotsSeen(model: string, busy: number | null): boolean;
  /** How many requests wait for the model. */
  waitingFor(model: string): number;
}

export interface LoaderParts {
  readonly catalog: Catalog;
  readonly swapper: Swapper;
  readonly recorder: Recorder;
  readonly tracing: Tracing;
  readonly now: () => number;
}

/** The first death costs no refusal: a model that died is loaded again. */
const DIED_AGAIN = 'its server died again before it had answered anything';

/** Carries out swaps, unloads and questions to backends, and remembers the swap under way. */
export class Loader {
  readonly #parts: LoaderParts;
  readonly #events: LoaderEvents;
  readonly #lastError = new Map<string, string>();
  /** The models whose slots are being watched. */
  readonly #watches = new Map<string, AbortController>();
  #swap: SwapUnderWay | null = null;
  #lastSwapId = 0;

  constructor(parts: LoaderParts, events: LoaderEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  get swapUnderWay(): SwapUnderWay | null {
    return this.#swap;
  }

  /** Why requests for the model are refused when they are, or null. */
  lastErrorOf(model: string): string | null {
    return this.#lastError.get(model) ?? null;
  }

  async swap({ load, unload, head, why }: Extract<Action, { kind: 'swap' }>): Promise<void> {
    const { swapper, now } = this.#parts;
    const cause: SwapCause = { requestId: head?.id ?? null, caller: head?.caller ?? null, why };
    for (const model of [load, ...unload]) this.#endWatch(model);
    const startedAt = now();
    const swap = { id: ++this.#lastSwapId, from: unload, to: load, cause, startedAt };
    this.#swap = { ...swap, phase: 'script' };
    this.#events.swapBegan(this.#swap);
    const traceId = this.#parts.tracing.swapStarted(this.#swap);
    const backend = this.#backend(load);
    const order = { load: backend, unload: unload.map((model) => this.#backend(model)), cause };
    const result = await swapper.swap(order, (phase) => {
      this.#swap = { ...swap, phase };
    });
    // Part of the swap: before the answer nothing is sent to it.
    if (result.outcome === 'ok') await this.askParallel(backend);
    const endedAt = now();
    this.#swap = null;
    if (result.error === null) this.#lastError.delete(load);
    else this.#lastError.set(load, result.error);
    const waited = this.#events.waitingFor(load);
    this.#parts.recorder.swapClosed({ ...swap, ...result, traceId, endedAt, waited });
    this.#events.swapEnded(result.outcome, endedAt - startedAt);
  }

  async unload(model: string): Promise<void> {
    this.#endWatch(model);
    const error = await this.#parts.swapper.unload(this.#backend(model));
    if (error !== null) this.#parts.recorder.unloadFailed(model, error, this.#parts.now());
    this.#events.unloadEnded(model, error === null);
  }

  /** Asks a backend's health: one that looks dead, or (`cameUp`) one that may be there after all. */
  async probe(model: string, cameUp: boolean): Promise<void> {
    const backend = this.#backend(model);
    const canTell = !cameUp || this.#parts.catalog.isDistinct(backend);
    const isHealthy = canTell && (await this.#parts.swapper.isHealthy(backend));
    if (isHealthy && cameUp) await this.askParallel(backend);
    if (!isHealthy && !cameUp) this.#lastError.set(model, DIED_AGAIN);
    // One that is not to be there is not down.
    if (isHealthy || !cameUp) this.#parts.recorder.healthSeen(model, isHealthy);
    this.#events.probeEnded(model, isHealthy);
  }

  /** Asks a pinned backend how it is, and how much it takes. */
  async look(backend: Backend): Promise<void> {
    const isHealthy = await this.#parts.swapper.isHealthy(backend);
    this.#parts.recorder.healthSeen(backend.model, isHealthy);
    if (isHealthy) await this.askParallel(backend);
  }

  /** Asks how many requests the backend takes at once, where the config leaves that to it. */
  async askParallel(backend: Backend): Promise<void> {
    if (backend.parallel !== 'auto') return;
    const parallel = await this.#parts.swapper.askParallel(backend);
    this.#events.slotsServed(backend.model, parallel !== null);
    if (parallel !== null) this.#events.parallelKnown(backend.model, parallel);
  }

  /** A caller left early: asks how many of the model's slots are at work, until that is no longer wanted. `hasSlots`: its server is known to have some. */
  async watchSlots(model: string, hasSlots: boolean): Promise<void> {
    if (this.#watches.has(model)) return;
    const watch = new AbortController();
    this.#watches.set(model, watch);
    const tell = (busy: number | null): void => {
      if (!this.#events.slotsSeen(model, busy)) this.#endWatch(model);
    };
    if (!hasSlots) {
      const total = await this.#parts.swapper.askParallel(this.#backend(model));
      if (watch.signal.aborted) return;
      if (total === null) return tell(null);
      this.#events.slotsServed(model, true);
    }
    void this.#parts.swapper.watchSlots(this.#backend(model), tell, watch.signal);
  }

  /** Also of a model that leaves memory: what its server says from now on is not about those slots. */
  #endWatch(model: string): void {
    this.#watches.get(model)?.abort();
    this.#watches.delete(model);
  }

  #backend(model: string): Backend {
    const backend = this.#parts.catalog.find(model);
    if (backend === undefined) throw new Error(`model "${model}" is not configured`);
    return backend;
  }
}
