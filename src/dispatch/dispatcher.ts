import type { ArrivalOrder } from '../core/arrivalOrder.ts';
import type { Backend } from '../core/backend.ts';
import { type Ending, modelState, takesAtOnce } from '../core/policy/state.ts';
import type { Action, Scheduler } from '../core/scheduler.ts';
import type { Activity, Running, SwapUnderWay } from '../core/snapshot.ts';
import { Alarm } from './alarm.ts';
import { Loader, type LoaderParts } from './loader.ts';
import { lookAround } from './surroundings.ts';
import {
  notResident,
  queueFull,
  queueTimeout,
  type RejectedError,
  stopping,
  swapFailed,
} from './rejectedError.ts';
import { RunningRequests } from './runningRequests.ts';
import { type Silent, Silences } from './silences.ts';
import type { Turn } from './turn.ts';
import { type WaitingLimits, WaitingRoom } from './waitingRoom.ts';

export interface DispatcherParts extends LoaderParts {
  readonly scheduler: Scheduler;
  readonly arrivalOrder: ArrivalOrder;
  readonly limits: WaitingLimits;
  /** How long a watched request may be silent once somebody waits for its model's memory; 0 = for ever. */
  readonly idleSocketMs: number;
}

interface Waiter {
  readonly turn: Turn;
  readonly queuedAt: number;
  readonly go: () => void;
  readonly refuse: (error: RejectedError) => void;
}

/** Feeds events to the scheduler and carries out the actions it answers with. */
export class Dispatcher implements Activity {
  readonly #parts: DispatcherParts;
  readonly #scheduler: Scheduler;
  readonly #loader: Loader;
  readonly #waiters: WaitingRoom<Waiter>;
  readonly #requests = new RunningRequests();
  readonly #silences: Silences;
  readonly #alarm = new Alarm(() => {
    this.#perform(this.#scheduler.tick(this.#parts.now()));
  });
  #isStopping = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#scheduler = parts.scheduler;
    this.#waiters = new WaitingRoom(parts.limits, parts.now);
    this.#silences = new Silences(parts.idleSocketMs);
    this.#loader = new Loader(parts, {
      swapBegan: (swap) => this.#waiters.loadBegan(swap),
      swapEnded: (outcome, ms) => {
        this.#waiters.loadEnded();
        this.#perform(this.#scheduler.swapEnded(outcome, ms, parts.now()));
      },
      unloadEnded: (model, ok) => {
        if (ok) this.#noteLeft(model);
        this.#perform(this.#scheduler.unloadEnded(ok, parts.now()));
        if (!ok) void this.#loader.probe(model, false);
      },
      probeEnded: (model, isHealthy) => {
        const { presence } = modelState(this.#scheduler.state, model);
        if (!isHealthy && presence === 'resident') this.#noteLeft(model);
        this.#perform(this.#scheduler.probeEnded(model, isHealthy, parts.now()));
      },
      slotsServed: (model, areServed) =>
        this.#perform(this.#scheduler.slotsServed(model, areServed, parts.now())),
      parallelKnown: (model, parallel) =>
        this.#perform(this.#scheduler.parallelKnown(model, parallel, parts.now())),
      slotsSeen: (model, busy) => {
        this.#perform(this.#scheduler.slotsSeen(model, busy, parts.now()));
        return modelState(this.#scheduler.state, model).orphans > 0;
      },
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
      this.#waiters.add({ turn, queuedAt, go, refuse });
      this.#parts.arrivalOrder.add(backend);
      this.#perform(this.#scheduler.submit({ id, model: backend.model, caller }, queuedAt));
    });
  }

  /** Makes a dispatched request visible as running, unless it is over already. */
  track(running: Running): void {
    this.#requests.show(running);
  }

  /** Has a dispatched request closed when it is silent for too long while somebody waits for its model's memory. */
  watchSilence(silent: Silent): void {
    if (!this.#requests.has(silent.id)) return;
    if (this.#isStopping) return silent.close();
    this.#silences.watch(silent);
    this.#perform([]);
  }

  /** The request is over, whatever way it ended; safe to call twice. */
  release(id: number, ending: Ending): void {
    this.#waiters.take(id);
    this.#silences.forget(id);
    this.#requests.end(id);
    this.#perform(this.#scheduler.release(id, ending, this.#parts.now()));
    if (ending.mayGoOn) this.#watchOrphans();
  }

  /** The backend refused or reset a request: its health is asked before anything else goes there. */
  suspect({ model }: Backend): void {
    if (this.#scheduler.suspect(model, this.#parts.now())) void this.#loader.probe(model, false);
  }

  /** Finds what is resident, so that nothing is swapped needlessly, and begins the preload. */
  async start(preload: string | null): Promise<void> {
    const { catalog, arrivalOrder, now } = this.#parts;
    const { memoryBudget } = this.#scheduler.state;
    const { resident, doubtful } = await lookAround(this.#parts, this.#loader, memoryBudget);
    for (const { model } of resident) this.#perform(this.#scheduler.seenResident(model, now()));
    for (const { model } of doubtful) this.#perform(this.#scheduler.seenInDoubt(model, now()));
    // Of the doubtful ones the first that is wanted costs no swap.
    for (const backend of [...resident, ...doubtful.slice(0, 1)]) arrivalOrder.seed(backend);
    const wanted = catalog.backends.find(({ model }) => model === preload);
    if (wanted === undefined) return;
    // Serving in arrival order would have it first, too.
    arrivalOrder.add(wanted);
    this.#perform(this.#scheduler.preload(wanted.model, now()));
  }

  /** Rejects all that wait and all that still come, and begins nothing any more; what runs goes on, if it has an end. */
  stopAdmitting(): void {
    this.#isStopping = true;
    this.#alarm.set(null);
    for (const { refuse } of this.#waiters.all()) refuse(stopping());
    this.#silences.closeAll();
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Resolves once nothing runs any more, at the latest after `limitMs`. */
  untilIdle(limitMs: number): Promise<void> {
    return this.#requests.untilNone(limitMs);
  }

  get running(): Iterable<Running> {
    return this.#requests.all();
  }

  get runningCount(): number {
    return this.#requests.count;
  }

  get swap(): SwapUnderWay | null {
    return this.#loader.swapUnderWay;
  }

  /** It is gone without a swap; serving in arrival order would now load it for those who wait. */
  #noteLeft(model: string): void {
    const { arrivalOrder, catalog } = this.#parts;
    arrivalOrder.forget(model);
    const backend = catalog.find(model);
    const { waiting } = modelState(this.#scheduler.state, model);
    if (backend !== undefined && waiting.length > 0) arrivalOrder.add(backend);
  }

  /** Slots that may work on for callers that have left count as taken until their servers say otherwise. */
  #watchOrphans(): void {
    if (this.#isStopping) return;
    for (const { model, orphans, tellsSlots } of this.#scheduler.state.models.values()) {
      if (orphans > 0) void this.#loader.watchSlots(model, tellsSlots === true);
    }
  }

  #refusalAtTheDoor({ backend, bodyBytes, causesSwap }: Turn): RejectedError | null {
    if (this.#isStopping) return stopping();
    if (!causesSwap) return null;
    const whyFull = this.#waiters.whyFullFor(bodyBytes);
    if (whyFull === null) return null;
    const runsAtOnce = takesAtOnce(modelState(this.#scheduler.state, backend.model));
    return runsAtOnce ? null : queueFull(whyFull);
  }

  #visit(turn: Turn, now: number): Promise<void> {
    const { id, backend, caller } = turn;
    if (!this.#scheduler.visit({ id, model: backend.model, caller }, now)) {
      const { presence } = modelState(this.#scheduler.state, backend.model);
      return Promise.reject(notResident(backend.model, presence === 'resident'));
    }
    this.#requests.begin(id);
    turn.dispatchedAt = now;
    return Promise.resolve();
  }

  #rejection({ model, reason, why }: Extract<Action, { kind: 'reject' }>): RejectedError {
    switch (reason) {
      case 'queue_timeout':
        return queueTimeout(why);
      case 'swap_failed': {
        const leftMs = modelState(this.#scheduler.state, model).refusedUntil - this.#parts.now();
        return swapFailed(model, this.#loader.lastErrorOf(model) ?? why, leftMs);
      }
    }
  }

  #perform(actions: readonly Action[]): void {
    if (this.#isStopping) return;
    for (const action of actions) this.#carryOut(action);
    this.#setAlarm();
  }

  #carryOut(action: Action): void {
    switch (action.kind) {
      case 'forward': {
        const waiter = this.#waiters.take(action.id);
        if (waiter === undefined) return;
        this.#requests.begin(action.id);
        waiter.turn.dispatchedAt = this.#parts.now();
        return waiter.go();
      }
      case 'reject':
        return this.#waiters.take(action.id)?.refuse(this.#rejection(action));
      case 'probe':
        return void this.#loader.probe(action.model, true);
      case 'swap':
        return void this.#loader.swap(action);
      case 'unload':
        return void this.#loader.unload(action.model);
    }
  }

  /** For the next thing to do that no event announces. */
  #setAlarm(): void {
    const { blockedBy, wakeAt } = this.#scheduler;
    const now = this.#parts.now();
    const dueAt = Math.min(wakeAt ?? Infinity, this.#silences.closeOverdue(blockedBy, now));
    this.#alarm.set(dueAt === Infinity ? null : dueAt - now);
  }
}
