import type { PolicyEvent } from '../../../src/core/policy/events.ts';
import type { Waiting } from '../../../src/core/policy/state.ts';
import type { Trace } from './trace.ts';

/** What a policy can see of one model. */
export interface ModelView {
  readonly model: string;
  readonly memory: number;
  readonly parallel: number;
  readonly presence: 'absent' | 'loading' | 'resident';
  readonly inFlight: number;
  /** Last dispatch or finish. */
  readonly usedAt: number;
}

/** What a router in front of the machine can see. */
export interface View {
  readonly now: number;
  readonly memoryBudget: number;
  readonly models: ReadonlyMap<string, ModelView>;
  /** In order of arrival. */
  readonly waiting: readonly Waiting[];
}

/** What a policy has done next. */
export type Act =
  | { readonly kind: 'forward'; readonly id: number }
  | { readonly kind: 'swap'; readonly load: string; readonly unload: readonly string[] }
  | { readonly kind: 'wait'; readonly until: number | null };

/** A rule for order and swaps. It may look at the view, or listen to the events and keep its own state. */
export interface SimPolicy {
  readonly name: string;
  observe?(event: PolicyEvent, now: number): void;
  decide(view: View): Act;
}

/** Every run has its own policy. */
export type CreatePolicy = (trace: Trace) => SimPolicy;
