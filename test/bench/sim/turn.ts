import { decide } from '../../../src/core/policy/decide.ts';
import { applyEvent } from '../../../src/core/policy/events.ts';
import { defaultPolicy } from '../../../src/core/policy/settings.ts';
import { createPolicyState } from '../../../src/core/policy/state.ts';
import type { CreatePolicy } from './simPolicy.ts';

/** The product's own policy, with its own state that hears of the world by events only. */
export const turn: CreatePolicy = (trace) => {
  const models = trace.models.map(({ model, memory, parallel }) => ({
    model,
    memory,
    parallel,
    pinned: false,
    ttlMs: 0,
  }));
  const state = createPolicyState(models, trace.memoryBudget, defaultPolicy);
  return {
    name: 'turn',
    observe(event, now) {
      applyEvent(state, event, now);
    },
    decide({ now }) {
      const decision = decide(state, now);
      switch (decision.kind) {
        case 'forward':
        case 'swap':
        case 'wait':
          return decision;
        case 'reject':
        case 'probe':
        case 'unload':
          throw new Error(`no trace gives cause to ${decision.kind} "${decision.model}"`);
      }
    },
  };
};
