import assert from 'node:assert/strict';
import { Random } from '../../../bench/sim/random.ts';
import { decide, type Decision } from '../../../../src/core/policy/decide.ts';
import { applyEvent, type PolicyEvent } from '../../../../src/core/policy/events.ts';
import { explainWaiting } from '../../../../src/core/policy/explain.ts';
import { createPolicyState, type PolicyState } from '../../../../src/core/policy/state.ts';
import { checkDecision } from './invariants.ts';
import type { Plan } from './plan.ts';

const DECISIONS_PER_CLOSE_LOOK = 50;

/**
 * Does what the scheduler does, step by step and with a state of its own in which the models stand in
 * another order: both must decide the same. Every decision is checked, and now and then that it is a
 * pure function of the state.
 */
export class Mirror {
  readonly #state: PolicyState;
  readonly #random = new Random(1);
  #decisions = 0;
  #wakeAt: number | null = null;

  constructor({ models, memoryBudget, settings }: Plan) {
    this.#state = createPolicyState(models.toReversed(), memoryBudget, settings);
  }

  get wakeAt(): number | null {
    return this.#wakeAt;
  }

  /** More decisions than this at one instant would go round in circles. */
  get mostActions(): number {
    let most = 2;
    for (const { waiting } of this.#state.models.values()) most += waiting.length + 1;
    return most;
  }

  apply(event: PolicyEvent, now: number): void {
    applyEvent(this.#state, event, now);
  }

  /** Decides until there is nothing to do but wait. */
  decide(now: number): Decision[] {
    const actions: Decision[] = [];
    for (let most = this.mostActions; ; most -= 1) {
      assert(most > 0, 'goes round in circles');
      const decision = this.#decideOnce(now);
      checkDecision(this.#state, decision, now);
      this.#account(decision, now);
      if (decision.kind === 'wait') return actions;
      actions.push(decision);
    }
  }

  #decideOnce(now: number): Decision {
    this.#decisions += 1;
    if (this.#decisions % DECISIONS_PER_CLOSE_LOOK !== 0) return decide(this.#state, now);
    const before = structuredClone(this.#state);
    const decision = decide(this.#state, now);
    assert.deepEqual(this.#state, before, 'decide changed the state');
    const shuffled = [...before.models].toSorted(() => this.#random.next() - 0.5);
    const copy: PolicyState = { ...before, models: new Map(shuffled) };
    assert.deepEqual(decide(copy, now), decision, 'decides otherwise on a copy of the state');
    this.#checkExplained(now);
    return decision;
  }

  #checkExplained(now: number): void {
    const waiting = [...this.#state.models.values()].flatMap((model) => model.waiting);
    const explained = explainWaiting(this.#state, null, now).map(({ request }) => request);
    assert.deepEqual(new Set(explained), new Set(waiting), 'does not explain all that wait');
    assert.equal(explained.length, waiting.length, 'explains one twice');
  }

  #account(decision: Decision, now: number): void {
    switch (decision.kind) {
      case 'forward':
        return this.apply({ ...decision, kind: 'forwarded' }, now);
      case 'reject':
        return this.apply({ ...decision, kind: 'left' }, now);
      case 'probe':
        return this.apply({ ...decision, kind: 'probeBegan' }, now);
      case 'swap':
        return this.apply({ ...decision, kind: 'swapBegan' }, now);
      case 'unload':
        return this.apply({ ...decision, kind: 'unloadBegan' }, now);
      case 'wait':
        this.#wakeAt = decision.until;
    }
  }
}
