import { admitsVisit } from './policy/claim.ts';
import { decide, type Decision, type Wait } from './policy/decide.ts';
import { applyEvent, type PolicyEvent } from './policy/events.ts';
import type { PolicySettings } from './policy/settings.ts';
import {
  createPolicyState,
  type Ending,
  type ModelSettings,
  modelState,
  type PolicyState,
} from './policy/state.ts';
import type { SwapOutcome } from './record.ts';

/** What the outside world has to do next. */
export type Action = Exclude<Decision, { readonly kind: 'wait' }>;

interface Request {
  readonly model: string;
  readonly caller: string;
  phase: 'waiting' | 'running' | 'visiting';
}

/**
 * Decides order and swaps. Does no I/O and reads no clock: every event carries its time, and every
 * method returns the actions to carry out. The state counts them as done in the same step.
 */
export class Scheduler {
  readonly #state: PolicyState;
  readonly #requests = new Map<number, Request>();
  #wait: Pick<Wait, 'until' | 'blockedBy'> = { until: null, blockedBy: [] };

  constructor(models: readonly ModelSettings[], memoryBudget: number, settings: PolicySettings) {
    this.#state = createPolicyState(models, memoryBudget, settings);
  }

  /** The state as it is, to look at. */
  get state(): PolicyState {
    return this.#state;
  }

  /** When to call `tick` if nothing else happens before, epoch milliseconds; null = never. */
  get wakeAt(): number | null {
    return this.#wait.until;
  }

  /** The models that somebody waits for to have ended what runs there, so that their memory can be had. */
  get blockedBy(): readonly string[] {
    return this.#wait.blockedBy;
  }

  /** A request joins the queue. */
  submit(request: { id: number; model: string; caller: string }, now: number): Action[] {
    const { id, model, caller } = request;
    this.#requests.set(id, { model, caller, phase: 'waiting' });
    return this.#advance({ kind: 'queued', id, model, caller }, now);
  }

  /** A request that takes no slot and loads nothing: runs at once (true) if its model is resident and not about to make room, else never. */
  visit(request: { id: number; model: string; caller: string }, now: number): boolean {
    const { id, model, caller } = request;
    if (!admitsVisit(this.#state, modelState(this.#state, model), now)) return false;
    this.#requests.set(id, { model, caller, phase: 'visiting' });
    applyEvent(this.#state, { kind: 'visitBegan', model }, now);
    return true;
  }

  /** A request is over, waiting or running. Safe to call again, and for one already rejected. */
  release(id: number, ending: Ending, now: number): Action[] {
    const request = this.#requests.get(id);
    if (request === undefined) return [];
    this.#requests.delete(id);
    const { model, caller } = request;
    switch (request.phase) {
      case 'waiting':
        return this.#advance({ kind: 'left', id, model }, now);
      case 'visiting':
        return this.#advance({ kind: 'visitEnded', model }, now);
      case 'running':
        return this.#advance({ kind: 'finished', model, caller, ...ending }, now);
    }
  }

  /** The swap under way has ended; `ms` is what it took. */
  swapEnded(outcome: SwapOutcome, ms: number, now: number): Action[] {
    return this.#advance({ kind: 'swapEnded', outcome, ms }, now);
  }

  /** If it failed, the model's health must be asked: its server may be gone all the same. */
  unloadEnded(ok: boolean, now: number): Action[] {
    return this.#advance({ kind: 'unloadEnded', ok }, now);
  }

  /** A resident model's server refused or reset a request: its health must be asked. False if that is under way, or pointless. */
  suspect(model: string, now: number): boolean {
    const { presence, probing } = modelState(this.#state, model);
    if (presence !== 'resident' || probing) return false;
    applyEvent(this.#state, { kind: 'probeBegan', model }, now);
    return true;
  }

  /** The answer to a `probe` action or a suspicion. */
  probeEnded(model: string, isHealthy: boolean, now: number): Action[] {
    return this.#advance({ kind: 'probeEnded', model, isHealthy }, now);
  }

  seenResident(model: string, now: number): Action[] {
    return this.#advance({ kind: 'seenResident', model }, now);
  }

  /** It looks resident, but more do than fit: its health is asked again once somebody wants it. */
  seenInDoubt(model: string, now: number): Action[] {
    return this.#advance({ kind: 'seenInDoubt', model }, now);
  }

  /** What a server told of its slots when it was asked for those whose callers had left; null = it does not tell. */
  slotsSeen(model: string, busy: number | null, now: number): Action[] {
    return this.#advance({ kind: 'slotsSeen', model, busy }, now);
  }

  /** Whether its server is one that tells, when asked, how many of its slots are at work. */
  slotsServed(model: string, areServed: boolean, now: number): Action[] {
    return this.#advance({ kind: 'slotsServed', model, areServed }, now);
  }

  parallelKnown(model: string, parallel: number, now: number): Action[] {
    return this.#advance({ kind: 'parallelKnown', model, parallel }, now);
  }

  preload(model: string, now: number): Action[] {
    return this.#advance({ kind: 'preload', model }, now);
  }

  /** Time has passed. */
  tick(now: number): Action[] {
    return this.#decide(now);
  }

  #advance(event: PolicyEvent, now: number): Action[] {
    applyEvent(this.#state, event, now);
    return this.#decide(now);
  }

  #decide(now: number): Action[] {
    const actions: Action[] = [];
    for (;;) {
      const decision = decide(this.#state, now);
      if (decision.kind === 'wait') {
        this.#wait = decision;
        return actions;
      }
      this.#account(decision, now);
      actions.push(decision);
    }
  }

  #account(action: Action, now: number): void {
    switch (action.kind) {
      case 'forward': {
        const request = this.#requests.get(action.id);
        if (request !== undefined) request.phase = 'running';
        return applyEvent(this.#state, { ...action, kind: 'forwarded' }, now);
      }
      case 'reject':
        this.#requests.delete(action.id);
        return applyEvent(this.#state, { ...action, kind: 'left' }, now);
      case 'probe':
        return applyEvent(this.#state, { ...action, kind: 'probeBegan' }, now);
      case 'swap':
        return applyEvent(this.#state, { ...action, kind: 'swapBegan' }, now);
      case 'unload':
        return applyEvent(this.#state, { ...action, kind: 'unloadBegan' }, now);
    }
  }
}
