import type { Random } from '../../../bench/sim/random.ts';
import { defaultPolicy, type PolicySettings } from '../../../../src/core/policy/settings.ts';
import type { ModelSettings, ReplyKind } from '../../../../src/core/policy/state.ts';

/** A model, and how long a swap to it takes. */
export interface PlannedModel extends ModelSettings {
  readonly swapMs: number;
}

/** A request that is going to come. Times are milliseconds since the start. */
export interface PlannedRequest {
  readonly id: number;
  readonly model: string;
  readonly caller: string;
  readonly at: number;
  readonly serviceMs: number;
  readonly reply: ReplyKind;
  /** When its caller hangs up, wherever the request is by then; null = never. */
  readonly leavesAt: number | null;
}

/** A request that takes no slot and never waits. */
export interface PlannedVisit {
  readonly id: number;
  readonly model: string;
  readonly at: number;
  readonly ms: number;
}

/** How likely it is that something goes wrong. */
export interface Trouble {
  readonly scriptFails: number;
  readonly swapTimesOut: number;
  /** After a swap that timed out the model comes up all the same. */
  readonly comesUpLate: number;
  /** A failed script has not touched what was resident. */
  readonly victimsSurvive: number;
  readonly unloadFails: number;
  /** A health check says the opposite of what is. */
  readonly probeErrs: number;
}

/** Something that happens to a resident model out of the blue. */
export interface Mishap {
  readonly model: string;
  readonly at: number;
  /** `death`: its server dies; `suspicion`: it is only thought to have died. */
  readonly kind: 'death' | 'suspicion';
}

/** All that happens in one run, as far as chance decides it beforehand. */
export interface Plan {
  readonly models: readonly PlannedModel[];
  readonly memoryBudget: number;
  readonly settings: PolicySettings;
  readonly resident: readonly string[];
  readonly preload: string | null;
  readonly requests: readonly PlannedRequest[];
  readonly visits: readonly PlannedVisit[];
  readonly mishaps: readonly Mishap[];
  readonly trouble: Trouble;
}

/** What a plan is to be like. */
export interface PlanOptions {
  readonly models: readonly [fewest: number, most: number];
  /** Every model needs the whole budget. */
  readonly oneFits: boolean;
  readonly swapsFail: boolean;
  readonly serversDie: boolean;
  /** ttl, pinned models, queue timeouts, preloads and visits. */
  readonly extras: boolean;
}

/** A world in which nothing goes wrong. */
const NO_TROUBLE: Trouble = {
  scriptFails: 0,
  swapTimesOut: 0,
  comesUpLate: 0,
  victimsSurvive: 0,
  unloadFails: 0,
  probeErrs: 0,
};

const CALLERS = 5;
const FIRST_VISIT = 1001;

/** Random traffic on random models. */
export function planTraffic(random: Random, options: PlanOptions): Plan {
  const memoryBudget = options.oneFits ? 1 : random.integer(4, 9);
  const models = planModels(random, memoryBudget, options);
  const first = random.pick(models);
  const isFirstThere = !first.pinned && random.chance(0.7);
  const spanMs = random.integer(1, 1000) * 1000;
  const requests = Array.from({ length: random.integer(8, 70) }, (_, index) =>
    planRequest(random, { id: index + 1, models, at: random.integer(0, spanMs) }),
  );
  return {
    models,
    memoryBudget,
    settings: planSettings(random, options),
    resident: isFirstThere ? [first.model] : [],
    preload: options.extras && random.chance(0.4) ? random.pick(models).model : null,
    requests,
    visits: options.extras ? planVisits(random, models, spanMs) : [],
    mishaps: options.serversDie ? planMishaps(random, models, spanMs) : [],
    trouble: options.swapsFail ? planTrouble(random) : NO_TROUBLE,
  };
}

/** Requests that all come within `spreadMs` of each other; nobody hangs up. */
export function planBurst(random: Random, spread: 'at once' | 'within a swap'): Plan {
  const options = { oneFits: true, swapsFail: false, serversDie: false, extras: false };
  const models = planModels(random, 1, { ...options, models: [2, 8] });
  const spreadMs = spread === 'at once' ? 0 : Math.min(...models.map(({ swapMs }) => swapMs));
  const requests = Array.from({ length: random.integer(4, 40) }, (_, index) => {
    const at = random.integer(0, spreadMs);
    return { ...planRequest(random, { id: index + 1, models, at }), leavesAt: null };
  });
  return {
    models,
    memoryBudget: 1,
    settings: defaultPolicy,
    resident: random.chance(0.7) ? [random.pick(models).model] : [],
    preload: null,
    requests,
    visits: [],
    mishaps: [],
    trouble: NO_TROUBLE,
  };
}

function planModels(random: Random, memoryBudget: number, options: PlanOptions): PlannedModel[] {
  const count = random.integer(...options.models);
  return Array.from({ length: count }, (_, index) => {
    // The last one only, so that there is always something to swap.
    const pinned = options.extras && index > 0 && index === count - 1 && random.chance(0.5);
    const hasTtl = options.extras && random.chance(0.4);
    return {
      model: `m${index}`,
      memory: options.oneFits ? 1 : random.integer(1, Math.min(4, memoryBudget)),
      pinned,
      ttlMs: hasTtl ? random.integer(5, 100) * 1000 : 0,
      parallel: random.integer(1, 5),
      swapMs: random.integer(1, 60) * 1000,
    };
  });
}

function planRequest(
  random: Random,
  of: { id: number; models: readonly PlannedModel[]; at: number },
): PlannedRequest {
  return {
    id: of.id,
    model: random.pick(of.models).model,
    caller: `c${random.integer(1, CALLERS)}`,
    at: of.at,
    serviceMs: random.integer(50, 20_000),
    reply: random.chance(0.3) ? 'toolCall' : 'plain',
    leavesAt: random.chance(0.07) ? of.at + random.integer(0, 60_000) : null,
  };
}

function planVisits(
  random: Random,
  models: readonly PlannedModel[],
  spanMs: number,
): PlannedVisit[] {
  return Array.from({ length: random.integer(0, 20) }, (_, index) => ({
    id: FIRST_VISIT + index,
    model: random.pick(models).model,
    at: random.integer(0, spanMs),
    ms: random.integer(1, 10_000),
  }));
}

function planSettings(random: Random, { extras }: PlanOptions): PolicySettings {
  if (!extras) return defaultPolicy;
  const queueTimeoutMs = random.chance(0.3) ? random.integer(20, 300) * 1000 : 0;
  const linger = random.pick([0, 0.5, 1]);
  return { ...defaultPolicy, queueTimeoutMs, linger, awayKept: random.pick([1, 3, 64]) };
}

function planTrouble(random: Random): Trouble {
  return {
    scriptFails: random.between(0, 0.3),
    swapTimesOut: random.between(0, 0.2),
    comesUpLate: 0.5,
    victimsSurvive: 0.5,
    unloadFails: 0.3,
    probeErrs: 0.05,
  };
}

function planMishaps(random: Random, models: readonly PlannedModel[], spanMs: number): Mishap[] {
  return Array.from({ length: random.integer(1, 12) }, () => ({
    model: random.pick(models).model,
    at: random.integer(0, spanMs),
    kind: random.chance(0.7) ? 'death' : 'suspicion',
  }));
}
