import type { ArrivalOrder } from '../core/arrivalOrder.ts';
import type { Backend } from '../core/backend.ts';
import type { ReplyKind } from '../core/policy/state.ts';
import { modelState } from '../core/policy/state.ts';
import type { SwapCause } from '../core/record.ts';
import type { Action, Scheduler } from '../core/scheduler.ts';
import type { Activity, Running, SwapUnderWay } from '../core/snapshot.ts';
import { Loader, type LoaderParts } from './loader.ts';
import { RejectedError, type Rejection } from './rejectedError.ts';

/** A request that asks for its turn. The dispatcher sets the two times. */
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
}

export interface DispatcherParts extends LoaderParts {
  readonly scheduler: Scheduler;
  readonly arrivalOrder: ArrivalOrder;
  readonly limits: { readonly maxWaiting: number; readonly maxWaitingBytes: number };
  readonly refuseMs: number;
}

interface Waiter {
  readonly turn: Turn & { readonly backend: Backend };
  readonly queuedAt: number;
  readonly go: () => void;
  readonly refuse: (error: RejectedError) => void;
}

/** Feeds events to the scheduler and carries out the actions it answers with. */
export class Dispatcher implements Activity {
  readonly #parts: DispatcherParts;
  readonly #scheduler: Scheduler;
  readonly #loader: Loader;
  readonly #waiters = new Map<number, Waiter>();
  readonly #running = new Map<number, Running>();
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;
  #whenIdle: (() => void) | undefined;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#scheduler = parts.scheduler;
    this.#loader = new Loader(parts, {
      swapEnded: (model, outcome, ms) => {
        this.#chargeLoad(model, ms);
        this.#perform(this.#scheduler.swapEnded(outcome, ms, parts.now()));
      },
      unloadEnded: (ok) => this.#perform(this.#scheduler.unloadEnded(ok, parts.now())),
      probeEnded: (model, isHealthy) =>
        this.#perform(this.#scheduler.probeEnded(model, isHealthy, parts.now())),
      parallelKnown: (model, parallel) =>
        this.#perform(this.#scheduler.parallelKnown(model, parallel, parts.now())),
      waitingFor: (model) => modelState(this.#scheduler.state, model).waiting.length,
    });
  }

  /** Resolves when it is the request's turn; rejects with a `RejectedError` when it will never be. */
  enter(turn: Turn): Promise<void> {
    const refusal = this.#refusalAtTheDoor(turn);
    if (refusal !== null) return Promise.reject(refusal);
    const { id, backend, caller } = turn;
    const queuedAt = this.#parts.now();
    if (!turn.causesSwap) return this.#visit(turn, queuedAt);
    return new Promise((go, refuse) => {
      this.#waiters.set(id, { turn, queuedAt, go, refuse });
      this.#waitingBytes += turn.bodyBytes;
      this.#parts.arrivalOrder.add(backend);
      this.#perform(this.#scheduler.submit({ id, model: backend.model, caller }, queuedAt));
    });
  }

  /** Makes a dispatched request visible as running. */
  track(running: Running): void {
    this.#running.set(running.id, running);
  }

  /** The request is over, whatever way it ended; safe to call twice. */
  release(id: number, ending: { reply: ReplyKind; hasServed: boolean }): void {
    this.#forget(id);
    this.#running.delete(id);
    if (this.#running.size === 0) this.#whenIdle?.();
    this.#perform(this.#scheduler.release(id, ending, this.#parts.now()));
  }

  /** The backend refused or reset a request: its health is asked before anything else goes there. */
  suspect({ model }: Backend): void {
    if (this.#scheduler.suspect(model, this.#parts.now())) void this.#loader.probe(model, false);
  }

  /** Finds what is resident, asks pinned backends how much they take, and begins the preload. */
  async start(preload: string | null): Promise<void> {
    const { catalog, swapper, arrivalOrder, now } = this.#parts;
    const resident = await swapper.findResident(catalog.backends);
    const seen = catalog.backends.filter((backend) => resident.has(backend.model));
    for (const backend of seen) {
      arrivalOrder.seed(backend);
      if (!backend.pinned) this.#perform(this.#scheduler.seenResident(backend.model, now()));
    }
    const toAsk = catalog.backends.filter((backend) => backend.pinned || seen.includes(backend));
    await Promise.all(toAsk.map((backend) => this.#loader.askParallel(backend)));
    if (preload !== null) this.#perform(this.#scheduler.preload(preload, now()));
  }

  /** Rejects all that wait and all that still come; what runs goes on. */
  stopAdmitting(): void {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    for (const { turn, refuse } of this.#waiters.values()) {
      refuse(this.#rejection('stopping', turn.backend));
    }
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Resolves once nothing runs any more, at the latest after `limitMs`. */
  async untilIdle(limitMs: number): Promise<void> {
    if (this.#running.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenIdle = resolve;
    const limit = setTimeout(resolve, limitMs);
    await promise;
    clearTimeout(limit);
  }

  get running(): Iterable<Running> {
    return this.#running.values();
  }

  get runningCount(): number {
    return this.#running.size;
  }

  get swap(): SwapUnderWay | null {
    return this.#loader.swapUnderWay;
  }

  #refusalAtTheDoor({ backend, bodyBytes, causesSwap }: Turn): RejectedError | null {
    const { maxWaiting, maxWaitingBytes } = this.#parts.limits;
    if (this.#isStopping) return this.#rejection('stopping', backend);
    if (!causesSwap) return null;
    const isFull =
      this.#waiters.size >= maxWaiting || this.#waitingBytes + bodyBytes > maxWaitingBytes;
    return isFull ? this.#rejection('queue_full', backend) : null;
  }

  #visit(turn: Turn, now: number): Promise<void> {
    const { id, backend, caller } = turn;
    if (!this.#scheduler.visit({ id, model: backend.model, caller }, now)) {
      return Promise.reject(this.#rejection('not_resident', backend));
    }
    turn.dispatchedAt = now;
    return Promise.resolve();
  }

  #rejection(reason: Rejection, { model }: Backend, why = ''): RejectedError {
    switch (reason) {
      case 'stopping':
        return new RejectedError(reason, 'jano is stopping', 5);
      case 'queue_full': {
        const waiting = `${this.#waiters.size} requests wait already`;
        return new RejectedError(reason, `the queue is full: ${waiting}`, 10);
      }
      case 'queue_timeout':
        return new RejectedError(reason, why, 10);
      case 'not_resident': {
        const hint = 'a request of this kind does not load a model; send a POST to it first';
        return new RejectedError(reason, `model "${model}" is not loaded; ${hint}`, null);
      }
      case 'swap_failed': {
        const cause = this.#loader.lastErrorOf(model) ?? why;
        const seconds = Math.ceil(this.#parts.refuseMs / 1000);
        return new RejectedError(reason, `model "${model}" could not be loaded: ${cause}`, seconds);
      }
    }
  }

  #perform(actions: readonly Action[]): void {
    for (const action of actions) this.#carryOut(action);
    this.#armTimer();
  }

  #carryOut(action: Action): void {
    switch (action.kind) {
      case 'forward': {
        const waiter = this.#forget(action.id);
        if (waiter === undefined) return;
        waiter.turn.dispatchedAt = this.#parts.now();
        return waiter.go();
      }
      case 'reject': {
        const waiter = this.#forget(action.id);
        return waiter?.refuse(this.#rejection(action.reason, waiter.turn.backend, action.why));
      }
      case 'probe':
        return void this.#loader.probe(action.model, true);
      case 'swap': {
        const { head, why } = action;
        const requestId = head?.id ?? null;
        const cause: SwapCause = { requestId, caller: head?.caller ?? null, why };
        return void this.#loader.swap(action.load, action.unload, cause);
      }
      case 'unload':
        return void this.#loader.unload(action.model);
    }
  }

  #forget(id: number): Waiter | undefined {
    const waiter = this.#waiters.get(id);
    if (waiter === undefined) return undefined;
    this.#waiters.delete(id);
    this.#waitingBytes -= waiter.turn.bodyBytes;
    return waiter;
  }

  /** What waited for the model has waited for this load, from its arrival or the load's beginning. */
  #chargeLoad(model: string, ms: number): void {
    const now = this.#parts.now();
    for (const { turn, queuedAt } of this.#waiters.values()) {
      if (turn.backend.model === model) turn.swapMs += Math.min(ms, now - queuedAt);
    }
  }

  #armTimer(): void {
    clearTimeout(this.#timer);
    const { wakeAt } = this.#scheduler;
    if (wakeAt === null || this.#isStopping) return;
    const delay = Math.max(1, wakeAt - this.#parts.now());
    this.#timer = setTimeout(() => {
      this.#perform(this.#scheduler.tick(this.#parts.now()));
    }, delay).unref();
  }
}
