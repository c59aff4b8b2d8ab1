import type { ModelState, PolicyState } from './state.ts';
import { isRunning } from './state.ts';

/** A model that keeps dying before it answers anything is loaded again this often. */
const RELOADS = 1;

/** It is loaded again, once: a model that dies again before it has answered anything is refused for a while. */
export function die(state: PolicyState, model: ModelState, now: number): void {
  model.deaths += 1;
  if (model.deaths > RELOADS) refuse(state, model, now);
  leave(model, 'dead');
  leaveIfDead(model);
}

/** Requests for it are refused for a while. */
export function refuse(state: PolicyState, model: ModelState, now: number): void {
  model.failures = 0;
  model.deaths = 0;
  model.refusedUntil = now + state.settings.refuseMs;
  model.refusedSequence = -1;
}

/** It is resident from now on. */
export function settle(state: PolicyState, model: ModelState, now: number): void {
  model.presence = 'resident';
  model.doubt = 'none';
  if (state.preload === model.model) state.preload = null;
  model.turnBeganAt = now;
  model.loadedAt = null;
  model.usedAt = now;
  model.failures = 0;
  model.refusedUntil = 0;
}

/** A dead one is gone once nothing runs on it any more. */
export function leaveIfDead(model: ModelState): void {
  if (model.presence !== 'dead' || isRunning(model)) return;
  leave(model);
  model.doubt = 'dead';
}

/** It is not in memory any more, or not for long; what its slots do for nobody ends with it. */
export function leave(
  model: ModelState,
  presence: 'absent' | 'unloading' | 'dead' = 'absent',
): void {
  model.presence = presence;
  model.orphans = 0;
  model.tellsSlots = null;
}
