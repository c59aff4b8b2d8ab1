import assert from 'node:assert/strict';
import { Random } from '../../../bench/sim/random.ts';
import { wantedModels } from '../../../../src/core/policy/claim.ts';
import type { PolicyEvent } from '../../../../src/core/policy/events.ts';
import { type Ending, modelState } from '../../../../src/core/policy/state.ts';
import { type Action, Scheduler } from '../../../../src/core/scheduler.ts';
import { type Fate, Fates } from './fates.ts';
import { checkEnd, checkState } from './invariants.ts';
import { Mirror } from './mirror.ts';
import type { Mishap, Plan, PlannedRequest, PlannedVisit } from './plan.ts';
import { Servers } from './servers.ts';
import { Timeline } from './timeline.ts';

const MOST_STEPS = 20_000;

/** Plays a plan with the scheduler, with invented servers, and checks everything on the way. */
export class World {
  readonly #plan: Plan;
  readonly #scheduler: Scheduler;
  readonly #mirror: Mirror;
  readonly #servers: Servers;
  readonly #timeline = new Timeline();
  readonly #fates: Fates;
  readonly #swaps: string[] = [];
  readonly #loaded: Set<string>;
  #now = 0;

  constructor(plan: Plan, random: Random) {
    this.#plan = plan;
    this.#scheduler = new Scheduler(plan.models, plan.memoryBudget, plan.settings);
    this.#mirror = new Mirror(plan);
    this.#servers = new Servers(plan, random);
    this.#loaded = new Set(plan.resident);
    this.#fates = new Fates(plan.requests);
  }

  /** The models in the order they were loaded. */
  get swaps(): readonly string[] {
    return this.#swaps;
  }

  /** Models whose load did not fit beside what was in memory in truth. */
  get overfilledBy(): readonly string[] {
    return this.#servers.overfilledBy;
  }

  get fates(): readonly Fate[] {
    return this.#fates.all;
  }

  /** Lets it all happen; throws when something is not as it must be. */
  play(): void {
    this.#start();
    for (let steps = 0; ; steps += 1) {
      assert(steps < MOST_STEPS, 'never comes to an end');
      const wakeAt = this.#scheduler.wakeAt ?? Number.POSITIVE_INFINITY;
      const { nextAt } = this.#timeline;
      if (Math.min(nextAt, wakeAt) === Number.POSITIVE_INFINITY) break;
      this.#now = Math.min(nextAt, wakeAt);
      if (nextAt <= wakeAt) this.#timeline.take()?.();
      else this.#happen(null, (scheduler) => scheduler.tick(this.#now));
    }
    checkEnd(this.#scheduler.state);
    for (const { request, phase } of this.fates) {
      assert.equal(phase, 'ended', `request ${request.id} was lost`);
    }
  }

  #start(): void {
    const { resident, preload, requests, visits, mishaps } = this.#plan;
    for (const model of resident) {
      this.#happen({ kind: 'seenResident', model }, (it) => it.seenResident(model, this.#now));
    }
    if (preload !== null) {
      this.#happen({ kind: 'preload', model: preload }, (it) => it.preload(preload, this.#now));
    }
    for (const request of requests) {
      this.#timeline.add(request.at, () => this.#arrive(request));
      const { leavesAt, id } = request;
      if (leavesAt !== null) this.#timeline.add(leavesAt, () => this.#hangUp(id));
    }
    for (const visit of visits) this.#timeline.add(visit.at, () => this.#visit(visit));
    for (const mishap of mishaps) this.#timeline.add(mishap.at, () => this.#strike(mishap));
  }

  #arrive(request: PlannedRequest): void {
    const { id, model, caller } = request;
    this.#fates.of(id).phase = 'waiting';
    this.#happen({ kind: 'queued', id, model, caller }, (it) => it.submit(request, this.#now));
  }

  /** Its caller goes; if it runs, its server may work on for nobody, and is asked about that now and then. */
  #hangUp(id: number): void {
    const fate = this.#fates.of(id);
    const { model } = fate.request;
    const mayGoOn = fate.phase === 'running' && this.#servers.worksOn();
    this.#end(id, { hasServed: false, mayGoOn });
    if (!mayGoOn) return;
    const orphans = (): number => modelState(this.#scheduler.state, model).orphans;
    const running = (): number => modelState(this.#scheduler.state, model).inFlight;
    this.#timeline.add(this.#now + 250, () => this.#seeSlots(model, running() + orphans()));
    const endsAt = this.#now + this.#servers.worksOnMs();
    this.#timeline.add(endsAt, () => this.#seeSlots(model, this.#servers.tells() ? 0 : null));
  }

  #seeSlots(model: string, busy: number | null): void {
    const event = { kind: 'slotsSeen', model, busy } as const;
    this.#happen(event, (it) => it.slotsSeen(model, busy, this.#now));
  }

  /** A request is over: answered, broken, or its caller has hung up. Without effect if it has ended before. */
  #end(id: number, how: Pick<Ending, 'hasServed' | 'mayGoOn'>): void {
    const fate = this.#fates.of(id);
    const { model, caller, reply } = fate.request;
    const ending = { reply, ...how };
    const wasRunning = fate.phase === 'running';
    if (fate.phase === 'ended') {
      assert.deepEqual(this.#scheduler.release(id, ending, this.#now), [], 'ends one twice');
      return;
    }
    fate.phase = 'ended';
    if (wasRunning) this.#servers.ended(model);
    this.#happen(
      wasRunning ? { kind: 'finished', model, caller, ...ending } : { kind: 'left', id, model },
      (it) => it.release(id, ending, this.#now),
    );
  }

  #visit({ id, model, ms }: PlannedVisit): void {
    const { state } = this.#scheduler;
    const isThere = modelState(state, model).presence === 'resident';
    const isLetIn = this.#scheduler.visit({ id, model, caller: 'visitor' }, this.#now);
    if (isLetIn) assert(isThere, 'lets a visitor in to nobody');
    else assert(!isThere || wantedModels(state).length > 0, 'refuses a visitor for nothing');
    if (!isLetIn) return;
    this.#servers.visitBegan(model);
    this.#mirror.apply({ kind: 'visitBegan', model }, this.#now);
    this.#timeline.add(this.#now + ms, () => {
      this.#servers.visitEnded(model);
      const ending = { reply: 'plain', hasServed: true, mayGoOn: false } as const;
      const event = { kind: 'visitEnded', model } as const;
      this.#happen(event, (it) => it.release(id, ending, this.#now));
    });
  }

  #strike({ model, kind }: Mishap): void {
    if (modelState(this.#scheduler.state, model).presence !== 'resident') return;
    if (kind === 'suspicion') return this.#suspect(model);
    this.#servers.die(model);
    for (const request of this.#fates.runningOn(model)) {
      this.#timeline.add(this.#now + this.#servers.breaksAfterMs(), () => this.#break(request));
    }
  }

  /** A running request gets no answer from its server. */
  #break({ id, model }: PlannedRequest): void {
    if (this.#fates.of(id).phase !== 'running') return;
    this.#suspect(model);
    this.#end(id, { hasServed: false, mayGoOn: false });
  }

  #suspect(model: string): void {
    const { presence, probing } = modelState(this.#scheduler.state, model);
    const isAsked = this.#scheduler.suspect(model, this.#now);
    assert.equal(isAsked, presence === 'resident' && !probing, 'suspects without need');
    if (!isAsked) return;
    this.#mirror.apply({ kind: 'probeBegan', model }, this.#now);
    this.#probe(model);
  }

  #probe(model: string): void {
    this.#timeline.add(this.#now + this.#servers.probeMs(), () => {
      const isHealthy = this.#servers.looksHealthy(model);
      const event = { kind: 'probeEnded', model, isHealthy } as const;
      this.#happen(event, (it) => it.probeEnded(model, isHealthy, this.#now));
    });
  }

  /** The scheduler hears of an event, and what it wants done begins. */
  #happen(event: PolicyEvent | null, tell: (scheduler: Scheduler) => Action[]): void {
    // The mirror comes first: it notices when decisions go round in circles.
    if (event !== null) this.#mirror.apply(event, this.#now);
    const expected = this.#mirror.decide(this.#now);
    const actions = tell(this.#scheduler);
    assert.deepEqual(actions, expected, 'is not deterministic');
    assert.equal(this.#scheduler.wakeAt, this.#mirror.wakeAt, 'is not deterministic');
    for (const action of actions) this.#begin(action);
    checkState(this.#scheduler.state, this.#servers.load);
  }

  #begin(action: Action): void {
    switch (action.kind) {
      case 'forward':
        return this.#send(this.#fates.of(action.id));
      case 'reject': {
        const fate = this.#fates.of(action.id);
        assert.equal(fate.phase, 'waiting', 'rejects one that does not wait');
        fate.phase = 'ended';
        return;
      }
      case 'probe':
        return this.#probe(action.model);
      case 'swap':
        return this.#swap(action);
      case 'unload': {
        const ok = this.#servers.unload(action.model);
        this.#timeline.add(this.#now + 500, () => {
          this.#happen({ kind: 'unloadEnded', ok }, (it) => it.unloadEnded(ok, this.#now));
          if (!ok) this.#probe(action.model);
        });
      }
    }
  }

  #send(fate: Fate): void {
    const { request } = fate;
    assert.equal(fate.phase, 'waiting', 'forwards one that does not wait');
    fate.phase = 'running';
    const endsAfterMs = this.#servers.send(request);
    this.#timeline.add(this.#now + (endsAfterMs ?? 5), () => {
      if (endsAfterMs === null) this.#break(request);
      else if (fate.phase === 'running' && this.#servers.isUp(request.model)) {
        this.#end(request.id, { hasServed: true, mayGoOn: false });
      }
    });
  }

  #swap({ load, unload, head }: Extract<Action, { kind: 'swap' }>): void {
    assert(head !== null || !this.#loaded.has(load), 'preloads what was resident before');
    this.#swaps.push(load);
    this.#fates.noteSwap(load, this.#scheduler.state, this.#now);
    const { outcome, ms } = this.#servers.swap(load, unload);
    this.#timeline.add(this.#now + ms, () => {
      const lateMs = this.#servers.swapEnded(load, outcome);
      if (lateMs !== null) {
        this.#timeline.add(this.#now + lateMs, () => this.#servers.comeUpLate(load));
      }
      if (outcome === 'ok') this.#loaded.add(load);
      const event = { kind: 'swapEnded', outcome, ms } as const;
      this.#happen(event, (it) => it.swapEnded(outcome, ms, this.#now));
      const parallel = this.#servers.slotsOf(load);
      if (outcome !== 'ok' || parallel === null) return;
      const known = { kind: 'parallelKnown', model: load, parallel } as const;
      this.#happen(known, (it) => it.parallelKnown(load, parallel, this.#now));
    });
  }
}
