import type { SwapOutcome } from '../record.ts';
import { die, leave, leaveIfDead, refuse, settle } from './presence.ts';
import { noteAbsentCallers, noteReply, noteReturn } from './returns.ts';
import type { Ending, ModelState, PolicyState, Waiting } from './state.ts';
import { modelState } from './state.ts';
import { freeMemory } from './victims.ts';

/** Everything that can happen to the state. */
export type PolicyEvent =
  | {
      readonly kind: 'queued';
      readonly id: number;
      readonly model: string;
      readonly caller: string;
    }
  /** It left the queue without being sent: its caller went, or it was rejected. */
  | { readonly kind: 'left'; readonly id: number; readonly model: string }
  | { readonly kind: 'forwarded'; readonly id: number; readonly model: string }
  /** It is over, however it ended. */
  | ({ readonly kind: 'finished'; readonly model: string; readonly caller: string } & Ending)
  /** Its server told how many of its slots are at work, or did not tell: null. */
  | { readonly kind: 'slotsSeen'; readonly model: string; readonly busy: number | null }
  /** A request that takes no slot began, or ended. */
  | { readonly kind: 'visitBegan'; readonly model: string }
  | { readonly kind: 'visitEnded'; readonly model: string }
  | { readonly kind: 'swapBegan'; readonly load: string; readonly unload: readonly string[] }
  | { readonly kind: 'swapEnded'; readonly outcome: SwapOutcome; readonly ms: number }
  | { readonly kind: 'unloadBegan'; readonly model: string }
  /** If it failed, the model's health is being asked. */
  | { readonly kind: 'unloadEnded'; readonly ok: boolean }
  /** Its health is being asked: it looks dead, or as if it had come up after all. */
  | { readonly kind: 'probeBegan'; readonly model: string }
  | { readonly kind: 'probeEnded'; readonly model: string; readonly isHealthy: boolean }
  /** It is resident without a swap of ours: seen at start. */
  | { readonly kind: 'seenResident'; readonly model: string }
  /** Its health held at start, but so did that of more models than fit: who of them is resident cannot be told. */
  | { readonly kind: 'seenInDoubt'; readonly model: string }
  /** Its server has slots, so that it tells when asked how many of them are at work; or it has none. */
  | { readonly kind: 'slotsServed'; readonly model: string; readonly areServed: boolean }
  | { readonly kind: 'parallelKnown'; readonly model: string; readonly parallel: number }
  | { readonly kind: 'preload'; readonly model: string };

/** A script is tried this often before requests for its model are refused. */
const SCRIPT_ATTEMPTS = 2;

/** The only place where the state changes. */
export function applyEvent(state: PolicyState, event: PolicyEvent, now: number): void {
  switch (event.kind) {
    case 'queued':
      noteReturn(state, event.caller, event.model, now);
      return enqueue(state, event, now);
    case 'left':
      dequeue(modelState(state, event.model), event.id);
      return;
    case 'forwarded':
      return begin(modelState(state, event.model), event.id, now);
    case 'finished':
      return finish(state, event, now);
    case 'slotsSeen':
      return noteSlots(modelState(state, event.model), event.busy);
    case 'visitBegan':
      modelState(state, event.model).visits += 1;
      return;
    case 'visitEnded':
      return endVisit(modelState(state, event.model));
    case 'swapBegan':
      return beginSwap(state, event.load, event.unload);
    case 'swapEnded':
      return endSwap(state, event.outcome, event.ms, now);
    case 'unloadBegan':
      state.change = { load: null, unload: [event.model] };
      leave(modelState(state, event.model), 'unloading');
      return;
    case 'unloadEnded':
      return endUnload(state, event.ok, now);
    case 'probeBegan':
      modelState(state, event.model).probing = true;
      return;
    case 'probeEnded':
      return endProbe(state, modelState(state, event.model), event.isHealthy, now);
    case 'seenResident':
      return settle(state, modelState(state, event.model), now);
    case 'seenInDoubt':
      modelState(state, event.model).doubt = 'unasked';
      return;
    case 'slotsServed':
      modelState(state, event.model).tellsSlots = event.areServed;
      return;
    case 'parallelKnown':
      modelState(state, event.model).parallel = event.parallel;
      return;
    case 'preload':
      if (modelState(state, event.model).presence === 'absent') state.preload = event.model;
  }
}

function enqueue(
  state: PolicyState,
  request: { readonly id: number; readonly model: string; readonly caller: string },
  now: number,
): void {
  const model = modelState(state, request.model);
  const { id, caller } = request;
  const sequence = state.nextSequence++;
  model.waiting.push({ id, model: model.model, caller, queuedAt: now, sequence });
}

function dequeue(model: ModelState, id: number): Waiting | undefined {
  const at = model.waiting.findIndex((request) => request.id === id);
  return at === -1 ? undefined : model.waiting.splice(at, 1)[0];
}

function begin(model: ModelState, id: number, now: number): void {
  const request = dequeue(model, id);
  if (request === undefined) throw new Error(`request ${id} does not wait for "${model.model}"`);
  model.inFlight += 1;
  const running = model.inFlightByCaller.get(request.caller) ?? 0;
  model.inFlightByCaller.set(request.caller, running + 1);
  model.usedAt = now;
}

function finish(
  state: PolicyState,
  event: Extract<PolicyEvent, { kind: 'finished' }>,
  now: number,
): void {
  const model = modelState(state, event.model);
  model.inFlight -= 1;
  model.usedAt = now;
  if (event.mayGoOn && model.presence === 'resident' && model.tellsSlots !== false) {
    model.orphans += 1;
  }
  if (event.hasServed) model.deaths = 0;
  const running = (model.inFlightByCaller.get(event.caller) ?? 1) - 1;
  if (running > 0) model.inFlightByCaller.set(event.caller, running);
  else model.inFlightByCaller.delete(event.caller);
  const hasMore = running > 0 || model.waiting.some(({ caller }) => caller === event.caller);
  if (!hasMore) noteReply(state, model, event.caller, event.reply, now);
  leaveIfDead(model);
}

/** Those at work beyond the requests that run there work for nobody. */
function noteSlots(model: ModelState, busy: number | null): void {
  if (model.presence !== 'resident') return;
  if (busy === null) model.tellsSlots = false;
  const forNobody = Math.max(0, (busy ?? 0) - model.inFlight);
  model.orphans = Math.min(model.orphans, forNobody);
}

function endVisit(model: ModelState): void {
  model.visits -= 1;
  leaveIfDead(model);
}

function beginSwap(state: PolicyState, load: string, unload: readonly string[]): void {
  for (const name of unload) {
    const victim = modelState(state, name);
    if (victim.presence === 'resident') noteAbsentCallers(state, victim);
    leave(victim);
  }
  const target = modelState(state, load);
  target.presence = 'loading';
  state.change = { load, unload };
  state.retry = null;
}

function endSwap(state: PolicyState, outcome: SwapOutcome, ms: number, now: number): void {
  const { change } = state;
  if (change === null || change.load === null) return;
  state.change = null;
  const target = modelState(state, change.load);
  if (outcome === 'ok') {
    for (const name of change.unload) modelState(state, name).doubt = 'none';
    settle(state, target, now);
    target.loadedAt = now;
    target.swapMs = target.swapMs === null ? ms : (target.swapMs + ms) / 2;
    return;
  }
  leave(target);
  // The script may have failed before it touched anything, or when all was done but the last step.
  for (const name of [target.model, ...change.unload]) {
    const model = modelState(state, name);
    if (model.doubt !== 'dead') model.doubt = 'unasked';
  }
  target.failures += 1;
  const isFinal = outcome === 'timeout' || target.failures >= SCRIPT_ATTEMPTS;
  if (!isFinal) {
    state.retry = target.model;
    return;
  }
  if (state.preload === target.model) state.preload = null;
  refuse(state, target, now);
}

function endUnload(state: PolicyState, ok: boolean, now: number): void {
  const { change } = state;
  if (change === null || change.load !== null) return;
  state.change = null;
  for (const name of change.unload) {
    const model = modelState(state, name);
    if (ok) [model.presence, model.doubt] = ['absent', 'none'];
    // The next try comes after another ttl.
    else [model.presence, model.usedAt, model.probing] = ['resident', now, true];
  }
}

function endProbe(state: PolicyState, model: ModelState, isHealthy: boolean, now: number): void {
  model.probing = false;
  if (model.presence === 'resident') {
    // Its server may have been started anew.
    if (isHealthy) model.tellsSlots = null;
    else if (!model.pinned) die(state, model, now);
    return;
  }
  if (model.presence !== 'absent') return;
  const isLeaving = state.change?.unload.includes(model.model) === true;
  const fits = freeMemory(state, model) >= model.memory;
  if (isHealthy && fits && !isLeaving) return settle(state, model, now);
  if (model.doubt === 'unasked') model.doubt = 'unhealthy';
  model.refusedSequence = state.nextSequence - 1;
}
