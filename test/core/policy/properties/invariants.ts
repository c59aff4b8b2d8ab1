import assert from 'node:assert/strict';
import type { Decision } from '../../../../src/core/policy/decide.ts';
import {
  type ModelState,
  modelState,
  type PolicyState,
} from '../../../../src/core/policy/state.ts';

/** Throws when a decision may never be made in this state. */
export function checkDecision(state: PolicyState, decision: Decision, now: number): void {
  switch (decision.kind) {
    case 'forward':
      return checkForward(modelState(state, decision.model), decision);
    case 'reject':
      return checkReject(state, decision, now);
    case 'probe': {
      const { presence, probing, doubt, refusedUntil } = modelState(state, decision.model);
      assert.equal(presence, 'absent', 'asks one that is not absent');
      assert.equal(probing, false, 'asks one that is being asked');
      return assert(doubt === 'unasked' || refusedUntil > now, 'asks one without cause');
    }
    case 'swap':
      return checkSwap(state, decision, now);
    case 'unload': {
      const model = modelState(state, decision.model);
      assert.equal(state.change, null, 'unloads during another change');
      checkLeaving(model);
      assert.equal(model.waiting.length, 0, 'unloads one that somebody waits for');
      return assert(model.ttlMs > 0 && model.usedAt + model.ttlMs <= now, 'unloads before its ttl');
    }
    case 'wait':
      assert(decision.until === null || decision.until > now, 'waits until the past');
      return checkNothingLeft(state);
  }
}

/** What runs on each model in truth. */
export interface Load {
  readonly requests: ReadonlyMap<string, number>;
  readonly visits: ReadonlyMap<string, number>;
}

/** Throws when the state is one that must never be. */
export function checkState(state: PolicyState, load: Load): void {
  for (const name of state.change?.unload ?? []) {
    const { presence } = modelState(state, name);
    assert.notEqual(presence, 'resident', `counts on ${name}, which is being unloaded`);
  }
  let held = 0;
  for (const model of state.models.values()) {
    const name = model.model;
    const [requests, visits] = [load.requests.get(name) ?? 0, load.visits.get(name) ?? 0];
    assert.equal(model.inFlight, requests, `miscounts what runs on ${name}`);
    assert.equal(model.visits, visits, `miscounts the visits of ${name}`);
    const isRunning = requests + visits > 0;
    const byCaller = [...model.inFlightByCaller.values()];
    assert.equal(sum(byCaller), model.inFlight, `miscounts the callers of ${name}`);
    if (model.inFlight > 0)
      assert.match(model.presence, /^(resident|dead)$/, `gives up busy ${name}`);
    if (model.orphans > 0) assert.equal(model.presence, 'resident', `counts slots of gone ${name}`);
    if (model.presence === 'dead') assert(isRunning, `keeps dead ${name} for nothing`);
    if (model.presence === 'resident') assert.equal(model.doubt, 'none', `doubts resident ${name}`);
    if (model.presence === 'loading')
      assert.equal(state.change?.load, name, `loads ${name} besides`);
    if (model.presence === 'unloading') {
      assert.deepEqual(state.change, { load: null, unload: [name] }, `unloads ${name} besides`);
    }
    if (!model.pinned && model.presence !== 'absent') held += model.memory;
  }
  assert(held <= state.memoryBudget, `holds ${held} of ${state.memoryBudget} memory`);
}

/** Throws when something is left undone although nothing can happen any more. */
export function checkEnd(state: PolicyState): void {
  assert.equal(state.change, null, 'a change never ended');
  for (const { model, waiting, inFlight, orphans, presence, probing } of state.models.values()) {
    assert.equal(orphans, 0, `${orphans} slots of ${model} are taken for ever`);
    assert.equal(waiting.length, 0, `${waiting.length} wait for ${model} for ever`);
    assert.equal(inFlight, 0, `${inFlight} run on ${model} for ever`);
    assert.equal(probing, false, `${model} is asked for ever`);
    assert.match(presence, /^(resident|absent)$/, `${model} is ${presence} for ever`);
  }
}

function checkForward(model: ModelState, { id }: { readonly id: number }): void {
  assert(
    model.waiting.some((request) => request.id === id),
    'forwards one that does not wait',
  );
  assert.equal(model.presence, 'resident', 'forwards to one that is not resident');
  assert.equal(model.probing, false, 'forwards to one that is being asked');
  assert(model.inFlight + model.orphans < model.parallel, 'forwards without a free slot');
}

function checkReject(
  state: PolicyState,
  decision: Extract<Decision, { kind: 'reject' }>,
  now: number,
): void {
  const { waiting, presence, refusedUntil } = modelState(state, decision.model);
  const request = waiting.find(({ id }) => id === decision.id);
  assert(request !== undefined, 'rejects one that does not wait');
  switch (decision.reason) {
    case 'swap_failed':
      return assert(presence === 'absent' && refusedUntil > now, 'rejects without a failed swap');
    case 'queue_timeout': {
      const { queueTimeoutMs } = state.settings;
      assert(queueTimeoutMs > 0, 'rejects without a timeout');
      return assert(request.queuedAt + queueTimeoutMs <= now, 'rejects before the timeout');
    }
  }
}

function checkSwap(
  state: PolicyState,
  { load, unload, head }: Extract<Decision, { kind: 'swap' }>,
  now: number,
): void {
  const target = modelState(state, load);
  assert.equal(state.change, null, 'swaps during another change');
  assert.equal(target.presence, 'absent', 'loads one that is not absent');
  assert.equal(target.probing, false, 'loads one that is being asked');
  if (head === null) assert.equal(state.preload, load, 'loads what nobody asked for');
  else {
    assert.equal(head, target.waiting[0], 'swaps for one that is not the head');
    const isSure = target.doubt !== 'unasked' || state.retry === load;
    assert(isSure, 'loads one that may be there');
    assert(target.refusedUntil <= now, 'loads one that is refused');
  }
  const named = unload.map((name) => modelState(state, name));
  for (const { model, presence, doubt } of named) {
    assert(presence !== 'absent' || doubt !== 'none', `unloads ${model}, which is not there`);
  }
  const victims = named.filter(({ presence }) => presence !== 'absent');
  for (const victim of victims) checkLeaving(victim);
  const residents = [...state.models.values()].filter(
    ({ pinned, presence }) => !pinned && presence !== 'absent',
  );
  const held = sum(residents.map(({ memory }) => memory)) + target.memory;
  const left = held - sum(victims.map(({ memory }) => memory));
  assert(left <= state.memoryBudget, 'swaps to one that does not fit');
  for (const { model, memory } of victims) {
    assert(left + memory > state.memoryBudget, `unloads ${model} needlessly`);
  }
}

function checkLeaving(model: ModelState): void {
  assert.equal(model.presence, 'resident', `unloads ${model.presence} ${model.model}`);
  assert.equal(model.inFlight + model.visits, 0, `unloads busy ${model.model}`);
  assert.equal(model.pinned, false, `unloads pinned ${model.model}`);
  assert.equal(model.probing, false, `unloads ${model.model}, which is being asked`);
}

/** Nobody waits for a resident model with a free slot, unless others wait for its memory. */
function checkNothingLeft(state: PolicyState): void {
  const models = [...state.models.values()];
  const isWanted = models.some(
    ({ presence, waiting }) => presence === 'absent' && waiting.length > 0,
  );
  if (isWanted) return;
  for (const { model, presence, probing, waiting, inFlight, orphans, parallel } of models) {
    if (presence !== 'resident' || probing || inFlight + orphans >= parallel) continue;
    assert.equal(waiting.length, 0, `lets requests wait for ${model} for nothing`);
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
