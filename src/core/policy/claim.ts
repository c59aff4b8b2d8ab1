import { expectedSwapMs, overdueAt, turnMs } from './costs.ts';
import type { ModelState, PolicyState, Waiting } from './state.ts';
import { headOf } from './state.ts';
import { chooseVictims } from './victims.ts';

/** Somebody waits for a model that is not resident. */
export interface Claim {
  /** The request that has waited longest for an absent model; the gate closes for it. */
  readonly oldest: Waiting;
  /** The model to load next. */
  readonly target: ModelState;
  /** The first request for that model. */
  readonly head: Waiting;
  /** Models that must leave for it; null when it cannot fit now. */
  readonly victims: readonly ModelState[] | null;
  /** The oldest has waited so long that costs no longer count. */
  readonly isOverdue: boolean;
  /** The last swap to the target has just failed and is tried once more. */
  readonly isRetry: boolean;
}

/** An absent model and the first request for it. */
export interface Candidate {
  readonly model: ModelState;
  readonly head: Waiting;
}

/** The claim that is next in turn, or null when nobody waits for an absent model. */
export function findClaim(state: PolicyState, now: number): Claim | null {
  const candidates = wantedModels(state);
  const first = candidates[0];
  if (first === undefined) return null;
  const isOverdue = overdueAt(state, first.head) <= now;
  const retry = candidates.find(({ model }) => model.model === state.retry);
  // One that cannot fit yet, whatever its turn, does not keep out one that can.
  const loadable = candidates.filter(({ model }) => chooseVictims(state, model) !== null);
  const pool = loadable.length > 0 ? loadable : candidates;
  const next = retry ?? (isOverdue && pool[0] === first ? first : cheapest(state, pool));
  const victims = chooseVictims(state, next.model);
  const { model: target, head } = next;
  return { oldest: first.head, target, head, victims, isOverdue, isRetry: next === retry };
}

/**
 * The gate: until when a victim takes newcomers while `claim` waits for its memory. It gets a whole
 * turn from when it was loaded, or a short grace when its turn was over before somebody came.
 */
export function closesAt(state: PolicyState, victim: ModelState, claim: Claim): number {
  const oldestModel = state.models.get(claim.oldest.model) ?? claim.target;
  const turn = turnMs(state, victim, oldestModel);
  const graceMs = turn * state.settings.graceShare;
  return Math.max(victim.turnBeganAt + turn, claim.oldest.queuedAt + graceMs);
}

/** Whether the gate lets a request pass to its resident model. */
export function isOpen(
  state: PolicyState,
  model: ModelState,
  request: Pick<Waiting, 'queuedAt'>,
  claim: Claim | null,
): boolean {
  // While something is loaded nothing else can be, so nobody has to make room yet.
  if (claim === null || state.change !== null) return true;
  if (!claim.victims?.includes(model)) return true;
  // The grace lets pass all that came before the oldest.
  return request.queuedAt <= closesAt(state, model, claim);
}

/** Whether a request that takes no slot may begin now: the gate keeps it out like any other, else many of them would keep the model for ever. */
export function admitsVisit(state: PolicyState, model: ModelState, now: number): boolean {
  if (model.presence !== 'resident') return false;
  return isOpen(state, model, { queuedAt: now }, findClaim(state, now));
}

/** Absent models that somebody waits for, longest wait first. */
export function wantedModels(state: PolicyState): Candidate[] {
  const candidates: Candidate[] = [];
  for (const model of state.models.values()) {
    const head = headOf(model);
    if (head === undefined || model.presence !== 'absent' || model.probing) continue;
    candidates.push({ model, head });
  }
  return candidates.toSorted((a, b) => a.head.sequence - b.head.sequence);
}

/** One that fits as it is, else the one whose swap costs least per waiting request; the first come on ties. */
function cheapest(state: PolicyState, candidates: readonly Candidate[]): Candidate {
  const fitting = candidates.find(({ model }) => chooseVictims(state, model)?.length === 0);
  if (fitting !== undefined) return fitting;
  const costPerRequest = ({ model }: Candidate): number =>
    expectedSwapMs(state, model) / model.waiting.length;
  return candidates.reduce((best, other) =>
    costPerRequest(other) < costPerRequest(best) ? other : best,
  );
}
