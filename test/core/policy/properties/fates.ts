import { overdueAt } from '../../../../src/core/policy/costs.ts';
import type { PolicyState } from '../../../../src/core/policy/state.ts';
import type { PlannedRequest } from './plan.ts';

/** What becomes of one request. */
export interface Fate {
  readonly request: PlannedRequest;
  phase: 'coming' | 'waiting' | 'running' | 'ended';
  /** Swaps that began while it waited, and those of them to another model when it was overdue. */
  swapsSeen: number;
  passedOver: number;
}

/** What becomes of all requests of a plan. */
export class Fates {
  readonly #byId: ReadonlyMap<number, Fate>;

  constructor(requests: readonly PlannedRequest[]) {
    this.#byId = new Map(
      requests.map((request) => [
        request.id,
        { request, phase: 'coming', swapsSeen: 0, passedOver: 0 },
      ]),
    );
  }

  get all(): readonly Fate[] {
    return [...this.#byId.values()];
  }

  of(id: number): Fate {
    const fate = this.#byId.get(id);
    if (fate === undefined) throw new Error(`no request ${id}`);
    return fate;
  }

  runningOn(model: string): PlannedRequest[] {
    return this.all
      .filter(({ phase, request }) => phase === 'running' && request.model === model)
      .map(({ request }) => request);
  }

  /** A swap begins: counts it for all that wait. */
  noteSwap(load: string, state: PolicyState, now: number): void {
    for (const { waiting } of state.models.values()) {
      for (const request of waiting) {
        const fate = this.of(request.id);
        const isOverdue = overdueAt(state, request) <= now;
        fate.swapsSeen += 1;
        if (isOverdue && request.model !== load) fate.passedOver += 1;
      }
    }
  }
}
