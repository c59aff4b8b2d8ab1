import { type Claim, findClaim, isOpen, wantedModels } from './claim.ts';
import { findHold } from './hold.ts';
import { quoted, spoken } from './words.ts';
import type { ModelState, PolicyState, Waiting } from './state.ts';
import { hasFreeSlot, headOf, isBefore, isIdle, isRunning } from './state.ts';
import { chooseAwaited, chooseDoubtful, chooseVictims } from './victims.ts';

export type RejectReason = 'swap_failed' | 'queue_timeout';

/** What has to happen next, with the reason in words for the user. */
export type Decision =
  | { readonly kind: 'forward'; readonly id: number; readonly model: string; readonly why: string }
  | {
      readonly kind: 'reject';
      readonly id: number;
      readonly model: string;
      readonly reason: RejectReason;
      readonly why: string;
    }
  | { readonly kind: 'probe'; readonly model: string; readonly why: string }
  | {
      readonly kind: 'swap';
      readonly load: string;
      readonly unload: readonly string[];
      /** The request at the head of the model's queue, or null for a preload. */
      readonly head: Waiting | null;
      readonly why: string;
    }
  | { readonly kind: 'unload'; readonly model: string; readonly why: string }
  | Wait;

/** Nothing can happen before an event, or before `until` if that is not null. */
export interface Wait {
  readonly kind: 'wait';
  readonly until: number | null;
  /** The models whose running requests are waited for, so that memory can be had: of the victims, and of those that could leave in their stead. */
  readonly blockedBy: readonly string[];
  readonly why: string;
}

/**
 * The policy "turn" as a pure function. Whoever asks carries the decision out, tells so by
 * `applyEvent`, and asks again until the answer is `wait`.
 *
 * 1. A request for a resident model goes to it while it has a free slot, callers with the fewest
 *    running requests first.
 * 2. When the resident model has nothing left, the model is loaded whose swap costs least per waiting
 *    request, or, once somebody has waited too long, that somebody's.
 * 3. While others wait, a model takes newcomers only until its turn is over; what came before is served.
 * 4. An idle model is held a blink for the rest of a burst, and longer for callers that usually return.
 * 5. Running requests are never cut, and one swap runs at a time.
 */
export function decide(state: PolicyState, now: number): Decision {
  const unavailable = rejectOverdue(state, now) ?? settleAbsent(state, now);
  if (unavailable !== undefined) return unavailable;
  const claim = findClaim(state, now);
  const next = nextToForward(state, claim);
  if (next !== undefined) {
    const why = `${quoted(next.model)} is resident and has a free slot`;
    return { kind: 'forward', id: next.id, model: next.model, why };
  }
  const expired = nextExpiry(state);
  if (expired !== undefined && expired.at <= now && state.change === null) {
    const why = `${quoted(expired.model)} was idle for its ttl`;
    return { kind: 'unload', model: expired.model, why };
  }
  const decision = claim === null ? decidePreload(state) : decideSwap(state, claim, now);
  if (decision.kind !== 'wait') return decision;
  return wakeBy(decision, [expired?.at, nextTimeout(state)], now);
}

function rejectOverdue(state: PolicyState, now: number): Decision | undefined {
  const { queueTimeoutMs } = state.settings;
  if (queueTimeoutMs === 0) return undefined;
  const head = oldestHead(state);
  if (head === undefined || head.queuedAt + queueTimeoutMs > now) return undefined;
  const why = `the request has waited for ${quoted(head.model)} longer than queue.timeout (${spoken(queueTimeoutMs)})`;
  return { kind: 'reject', id: head.id, model: head.model, reason: 'queue_timeout', why };
}

function oldestHead(state: PolicyState): Waiting | undefined {
  let oldest: Waiting | undefined;
  for (const model of state.models.values()) {
    const head = headOf(model);
    if (head !== undefined && (oldest === undefined || isBefore(head, oldest))) oldest = head;
  }
  return oldest;
}

/** Requests for absent models that cannot simply be loaded: refused ones, and ones that may be there after all. */
function settleAbsent(state: PolicyState, now: number): Decision | undefined {
  for (const { model, head } of wantedModels(state)) {
    const name = quoted(model.model);
    const isRefused = model.refusedUntil > now;
    if (isRefused && head.sequence <= model.refusedSequence) {
      const why = `the last swap to ${name} failed`;
      return { kind: 'reject', id: head.id, model: model.model, reason: 'swap_failed', why };
    }
    const mayBeThere =
      model.doubt === 'unasked' && state.change === null && state.retry !== model.model;
    if (isRefused || mayBeThere) {
      return { kind: 'probe', model: model.model, why: `${name} may have come up after all` };
    }
  }
  return undefined;
}

/** Of all requests that may run now: the one whose caller has the fewest running there, the first come on ties. */
function nextToForward(state: PolicyState, claim: Claim | null): Waiting | undefined {
  let best: Waiting | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const model of state.models.values()) {
    if (model.presence !== 'resident' || model.probing) continue;
    if (!hasFreeSlot(model)) continue;
    for (const request of model.waiting) {
      if (!isOpen(state, model, request, claim)) break;
      const running = model.inFlightByCaller.get(request.caller) ?? 0;
      const isBetter =
        running < fewest || (running === fewest && best !== undefined && isBefore(request, best));
      if (isBetter) [best, fewest] = [request, running];
      if (running === 0) break;
    }
  }
  return best;
}

function decideSwap(state: PolicyState, claim: Claim, now: number): Decision {
  const { target, victims } = claim;
  if (state.change !== null) return wait('a swap is running');
  if (victims === null) return wait(`${quoted(target.model)} does not fit until another has ended`);
  // What the gate lets pass has been forwarded by now, as far as there are slots.
  const busy = victims.find(isRunning);
  if (busy !== undefined) {
    const blockedBy = chooseAwaited(state, target, victims).map(({ model }) => model);
    return wait(`${quoted(busy.model)} still has work`, { blockedBy });
  }
  const hold = findHold(state, claim, victims, now);
  if (hold !== null) return wait(hold.why, { until: hold.until });
  const doubtful = chooseDoubtful(state, target, victims);
  const unload = [...victims, ...doubtful].map(({ model }) => model);
  return {
    kind: 'swap',
    load: target.model,
    unload,
    head: claim.head,
    why: whySwap(claim, doubtful),
  };
}

/** A preload waits until it disturbs nobody. */
function decidePreload(state: PolicyState): Decision {
  const idle = wait('nobody waits for a model that is not resident');
  if (state.preload === null || state.change !== null) return idle;
  const target = state.models.get(state.preload);
  if (target === undefined || target.presence !== 'absent' || target.probing) return idle;
  const victims = chooseVictims(state, target);
  if (victims === null || !victims.every(isIdle)) return idle;
  const unload = [...victims, ...chooseDoubtful(state, target, victims)].map(({ model }) => model);
  return { kind: 'swap', load: target.model, unload, head: null, why: 'to be loaded at start' };
}

function nextExpiry(state: PolicyState): { model: string; at: number } | undefined {
  let next: { model: string; at: number } | undefined;
  for (const model of state.models.values()) {
    if (model.ttlMs === 0 || model.pinned || model.probing) continue;
    if (model.presence !== 'resident' || !isIdle(model)) continue;
    const at = model.usedAt + model.ttlMs;
    const isSooner = next === undefined || at < next.at;
    const isTie = next?.at === at && model.model < next.model;
    if (isSooner || isTie) next = { model: model.model, at };
  }
  return next;
}

function whySwap(claim: Claim, doubtful: readonly ModelState[]): string {
  const leaving = claim.victims ?? [];
  if (claim.target.doubt === 'dead') return `the server of ${quoted(claim.target.model)} died`;
  if (claim.isRetry) return `the swap to ${quoted(claim.target.model)} is tried once more`;
  if (claim.isOverdue && claim.target.model === claim.oldest.model)
    return `a request for ${quoted(claim.oldest.model)} has waited long enough`;
  if (leaving.length === 0 && doubtful.length > 0) {
    return `${quoted(claim.target.model)} is next, and ${named(doubtful)} may still be in memory`;
  }
  if (leaving.length === 0) return `there is room for ${quoted(claim.target.model)}`;
  const names = named(leaving);
  const isOver = leaving.some((victim) => victim.waiting.length > 0);
  return isOver ? `the turn of ${names} is over` : `${names} has nothing left to do`;
}

function named(models: readonly ModelState[]): string {
  return models.map(({ model }) => quoted(model)).join(' and ');
}

function wait(why: string, more: Partial<Wait> = {}): Wait {
  return { kind: 'wait', until: null, blockedBy: [], why, ...more };
}

function nextTimeout(state: PolicyState): number | undefined {
  const { queueTimeoutMs } = state.settings;
  const head = queueTimeoutMs === 0 ? undefined : oldestHead(state);
  return head === undefined ? undefined : head.queuedAt + queueTimeoutMs;
}

/** A wait that also ends at the first of `times` to come; a ttl that ran out during a swap is seen when that ends. */
function wakeBy(decision: Wait, times: readonly (number | undefined)[], now: number): Wait {
  let { until } = decision;
  for (const time of times) {
    if (time !== undefined && time > now) until = Math.min(until ?? time, time);
  }
  return { ...decision, until };
}
