import { decide, type Decision } from '../../src/core/policy/decide.ts';
import { applyEvent } from '../../src/core/policy/events.ts';
import { defaultPolicy } from '../../src/core/policy/settings.ts';
import { createPolicyState, type PolicyState } from '../../src/core/policy/state.ts';
import { Random } from './sim/random.ts';

/** How long one call of decide() takes, microseconds. */
export interface DecideCost {
  readonly medianUs: number;
  readonly p99Us: number;
}

const WARM_UP_CALLS = 1000;
const CALLS = 3000;
const PARALLEL = 4;
const CALLER = 'script';

/**
 * Times decide() on a machine that is kept busy with so many models, a quarter of which fit, and so many
 * waiting. All are of one caller: that is when most of them have to be looked at.
 */
export function measureDecide(models: number, waiting: number): DecideCost {
  const world = new BusyWorld(models, waiting);
  const costs: number[] = [];
  for (let call = 0; call < WARM_UP_CALLS + CALLS; call += 1) {
    const began = performance.now();
    const decision = decide(world.state, world.now);
    const costUs = 1000 * (performance.now() - began);
    if (call >= WARM_UP_CALLS) costs.push(costUs);
    world.carryOut(decision);
  }
  costs.sort((a, b) => a - b);
  const quantile = (share: number): number => costs[Math.floor(share * (costs.length - 1))] ?? NaN;
  return { medianUs: quantile(0.5), p99Us: quantile(0.99) };
}

/** Keeps as many waiting as at the start: for each request that is sent another comes. */
class BusyWorld {
  readonly state: PolicyState;
  now = 0;
  readonly #random = new Random(1);
  /** The model of each running request. */
  readonly #running: string[] = [];
  readonly #names: readonly string[];
  #nextId = 1;

  constructor(models: number, waiting: number) {
    this.#names = Array.from({ length: models }, (_, index) => `m${index}`);
    const fitting = Math.max(1, Math.floor(models / 4));
    const settings = this.#names.map((model) => {
      return { model, memory: 1, pinned: false, ttlMs: 0, parallel: PARALLEL };
    });
    this.state = createPolicyState(settings, fitting, defaultPolicy);
    for (const model of this.#names.slice(0, fitting)) {
      applyEvent(this.state, { kind: 'seenResident', model }, 0);
    }
    for (let count = 0; count < waiting; count += 1) this.#arrive();
  }

  carryOut(decision: Decision): void {
    switch (decision.kind) {
      case 'forward': {
        const { model, id } = decision;
        this.#running.push(model);
        applyEvent(this.state, { kind: 'forwarded', id, model }, this.now);
        return this.#arrive();
      }
      case 'swap':
        return applyEvent(this.state, { ...decision, kind: 'swapBegan' }, this.now);
      case 'wait':
        return this.#pass();
      case 'reject':
      case 'probe':
      case 'unload':
        throw new Error(`nothing gives cause to ${decision.kind} "${decision.model}"`);
    }
  }

  /** Lets something come to its end: a request, or now and then the swap. */
  #pass(): void {
    this.now += 200;
    const isSwapOver = this.state.change !== null && this.#random.chance(0.1);
    if (isSwapOver || this.#running.length === 0) {
      if (this.state.change === null) return;
      const ended = { kind: 'swapEnded', outcome: 'ok', ms: 20_000 } as const;
      return applyEvent(this.state, ended, this.now);
    }
    const index = this.#random.integer(0, this.#running.length - 1);
    for (const model of this.#running.splice(index, 1)) {
      const reply = this.#random.chance(0.5) ? 'toolCall' : 'plain';
      applyEvent(
        this.state,
        { kind: 'finished', model, caller: CALLER, reply, hasServed: true, mayGoOn: false },
        this.now,
      );
    }
  }

  #arrive(): void {
    const model = this.#random.pick(this.#names);
    applyEvent(this.state, { kind: 'queued', id: this.#nextId++, model, caller: CALLER }, this.now);
  }
}
