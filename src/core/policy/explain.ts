import { type Claim, closesAt, findClaim, isOpen } from './claim.ts';
import { expectedSwapMs } from './costs.ts';
import { decide } from './decide.ts';
import type { ModelState, PolicyState, Waiting } from './state.ts';
import { headOf, isRunning } from './state.ts';
import { quoted, spoken } from './words.ts';

/** A waiting request with the reason in words, and when its turn is expected, milliseconds from now; null = cannot be told. */
export interface Explained {
  readonly request: Waiting;
  readonly expectedMs: number | null;
  readonly why: string;
}

/**
 * The waiting requests in the order in which they would run now: those of resident models, of the one
 * being loaded, of the one that is next, then the others by their oldest.
 */
export function explainWaiting(
  state: PolicyState,
  changeBeganAt: number | null,
  now: number,
): Explained[] {
  const claim = findClaim(state, now);
  const rank = (model: ModelState): number => {
    if (model.presence === 'resident') return 0;
    if (model.presence === 'loading') return 1;
    return model === claim?.target ? 2 : 3;
  };
  const models = [...state.models.values()]
    .filter((model) => model.waiting.length > 0)
    .toSorted((a, b) => rank(a) - rank(b) || sequenceOf(a) - sequenceOf(b));
  return models.flatMap((model) => {
    const loadingMs = now - (changeBeganAt ?? now);
    return model.waiting.map((request) => ({
      request,
      ...explain(state, model, request, claim, loadingMs, now),
    }));
  });
}

function explain(
  state: PolicyState,
  model: ModelState,
  request: Waiting,
  claim: Claim | null,
  loadingMs: number,
  now: number,
): Omit<Explained, 'request'> {
  const name = quoted(model.model);
  if (model.probing) return unknown(`${name} is asked whether it is healthy`);
  switch (model.presence) {
    case 'resident':
      return unknown(
        isOpen(state, model, request, claim)
          ? explainSlots(model)
          : `the turn of ${name} is over, ${quoted(claim?.target.model ?? '')} is next`,
      );
    case 'loading': {
      const leftMs = expectedSwapMs(state, model) - loadingMs;
      // A load that takes longer than any estimate tells nothing of its end.
      const isKnown = model.swapMs !== null && leftMs > 0;
      const why = `${name} is being loaded, for ${spoken(loadingMs)} so far`;
      return { expectedMs: isKnown ? Math.round(leftMs) : null, why };
    }
    case 'unloading':
      return unknown(`${name} is being unloaded`);
    case 'dead':
      return unknown(`the server of ${name} died and its last requests are still ending`);
    case 'absent':
      return explainAbsent(state, model, claim, now);
  }
}

function explainSlots({ model, inFlight, orphans, parallel }: ModelState): string {
  const answering = `${quoted(model)} is answering ${inFlight} of ${parallel} requests at once`;
  if (orphans === 0) return answering;
  const left = orphans === 1 ? 'one whose caller' : `${orphans} whose callers`;
  return `${answering} and still works on ${left} left`;
}

function explainAbsent(
  state: PolicyState,
  model: ModelState,
  claim: Claim | null,
  now: number,
): Omit<Explained, 'request'> {
  if (state.change !== null) {
    const { load, unload } = state.change;
    return unknown(
      load === null
        ? `${quoted(unload[0] ?? '')} is being unloaded first`
        : `${quoted(load)} is being loaded first`,
    );
  }
  if (claim === null) return unknown('its turn is being decided');
  if (claim.target !== model) return unknown(`${quoted(claim.target.model)} is loaded first`);
  const victims = claim.victims;
  if (victims === null) return unknown('it does not fit until another model has ended');
  const working = victims.find(isRunning);
  if (working === undefined) return explainHold(state, model, now);
  const leftMs = closesAt(state, working, claim) - now;
  const name = quoted(working.model);
  return unknown(
    leftMs > 0
      ? `${name} has its turn for at most another ${spoken(leftMs)}`
      : `${name} is finishing what came before`,
  );
}

function explainHold(
  state: PolicyState,
  model: ModelState,
  now: number,
): Omit<Explained, 'request'> {
  const decision = decide(state, now);
  if (decision.kind !== 'wait' || decision.until === null) return unknown(decision.why);
  const holdMs = decision.until - now;
  const expectedMs = model.swapMs === null ? null : Math.round(holdMs + model.swapMs);
  return { expectedMs, why: `${decision.why} (held for ${spoken(holdMs)})` };
}

function sequenceOf(model: ModelState): number {
  return headOf(model)?.sequence ?? Number.POSITIVE_INFINITY;
}

function unknown(why: string): Omit<Explained, 'request'> {
  return { expectedMs: null, why };
}
