import type { ModelState, PolicyState } from './state.ts';
import { isIdle, isRunning } from './state.ts';

/**
 * The resident models that must leave so that `target` fits: [] when it fits as it is, null when that
 * cannot be had now. Idle ones go first, least recently used first; then the one whose turn began
 * longest ago, a choice that stays put while it drains.
 */
export function chooseVictims(state: PolicyState, target: ModelState): ModelState[] | null {
  let missing = target.memory - freeMemory(state, target);
  if (missing <= 0) return [];
  const victims: ModelState[] = [];
  for (const model of candidates(state, target)) {
    if (missing <= 0) break;
    victims.push(model);
    missing -= model.memory;
  }
  if (missing > 0) return null;
  return victims.filter((model) => {
    const isNeeded = missing + model.memory > 0;
    if (!isNeeded) missing += model.memory;
    return isNeeded;
  });
}

/** The running ones of `victims`, and those of which each could leave in their stead as soon as it runs nothing. */
export function chooseAwaited(
  state: PolicyState,
  target: ModelState,
  victims: readonly ModelState[],
): ModelState[] {
  const others = candidates(state, target);
  let spare = freeMemory(state, target);
  for (const model of others) if (isIdle(model)) spare += model.memory;
  return others.filter(
    (model) =>
      isRunning(model) && (victims.includes(model) || spare + model.memory >= target.memory),
  );
}

/**
 * Absent models that the script is to unload all the same: their servers may still hold memory that is
 * not to spare, or hang where `target` is to be loaded.
 */
export function chooseDoubtful(
  state: PolicyState,
  target: ModelState,
  victims: readonly ModelState[],
): ModelState[] {
  let spare = freeMemory(state, target) - target.memory;
  for (const victim of victims) spare += victim.memory;
  const doubtful: ModelState[] = [];
  for (const model of byName(state)) {
    if (model.presence !== 'absent' || model.doubt === 'none') continue;
    if (model === target) {
      if (model.doubt === 'dead') doubtful.push(model);
    } else if (spare >= model.memory) spare -= model.memory;
    else doubtful.push(model);
  }
  return doubtful;
}

function byName(state: PolicyState): ModelState[] {
  return [...state.models.values()].toSorted((a, b) => (a.model < b.model ? -1 : 1));
}

/** Memory of the budget that nobody holds, `but` left out of account. */
export function freeMemory(state: PolicyState, but: ModelState): number {
  let free = state.memoryBudget;
  for (const model of state.models.values()) {
    if (model !== but && !model.pinned && model.presence !== 'absent') free -= model.memory;
  }
  return free;
}

function candidates(state: PolicyState, target: ModelState): ModelState[] {
  return [...state.models.values()]
    .filter((model) => model !== target && isVictimAtAll(model))
    .toSorted((a, b) => {
      const idleFirst = Number(isIdle(b)) - Number(isIdle(a));
      return idleFirst || leavesAfter(a) - leavesAfter(b) || (a.model < b.model ? -1 : 1);
    });
}

function isVictimAtAll(model: ModelState): boolean {
  return model.presence === 'resident' && !model.pinned && !model.probing;
}

function leavesAfter(model: ModelState): number {
  return isIdle(model) ? model.usedAt : model.turnBeganAt;
}
