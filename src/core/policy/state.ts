import type { PolicySettings } from './settings.ts';

/** A request that waits for its turn. */
export interface Waiting {
  readonly id: number;
  readonly model: string;
  readonly caller: string;
  /** When it joined the queue, epoch milliseconds. */
  readonly queuedAt: number;
  /** Arrival order; breaks ties of `queuedAt`. */
  readonly sequence: number;
}

/**
 * Where a model is. `dead`: its server was found dead while requests still run on it;
 * it holds its memory and is neither loaded nor unloaded until they ended.
 */
export type Presence = 'absent' | 'loading' | 'resident' | 'unloading' | 'dead';

/**
 * Why an absent model's server may still hold memory. `unasked`: a swap failed, or more looked resident at
 * start than fit; it may even serve, so its health is asked before it is loaded. `unhealthy`: that was asked in vain. `dead`: it served and stopped
 * to; it is unloaded before it is loaded again, in case its process hangs.
 */
export type Doubt = 'none' | 'unasked' | 'unhealthy' | 'dead';

/** How a request that was sent to its server ended. */
export interface Ending {
  readonly reply: ReplyKind;
  /** The backend answered. */
  readonly hasServed: boolean;
  /** Nobody waits for its answer any more, but its server may be at work on it all the same. */
  readonly mayGoOn: boolean;
}

/** What a reply ended in: callers return sooner after a tool call than after plain text. */
export type ReplyKind = 'plain' | 'toolCall';

/** A caller that got its last reply from a model and has not asked anything since. */
export interface Away {
  readonly since: number;
  readonly after: ReplyKind;
  /** The model has left once since then; when it leaves again the caller counts as not returning. */
  readonly missed: boolean;
}

/** All that the policy knows of one model. Times are epoch milliseconds. */
export interface ModelState {
  readonly model: string;
  readonly memory: number;
  readonly pinned: boolean;
  /** Unload after idling this long; 0 = never. */
  readonly ttlMs: number;
  /** Most requests its server takes at once. */
  parallel: number;
  presence: Presence;
  /** Its health is being asked: nothing is forwarded to it, it is not loaded and not unloaded. */
  probing: boolean;
  doubt: Doubt;
  /** In order of arrival. */
  readonly waiting: Waiting[];
  inFlight: number;
  /** Slots whose callers left before the answer began and that may still be at work: taken, but nobody waits for them. */
  orphans: number;
  /** Whether its server tells how many of its slots are at work; null = not known since it was loaded. */
  tellsSlots: boolean | null;
  /** Running requests that take no slot and never wait, such as GET /props; the model stays for them. */
  visits: number;
  readonly inFlightByCaller: Map<string, number>;
  turnBeganAt: number;
  /** When the swap that brought it ended; null when it was found resident. */
  loadedAt: number | null;
  /** Last dispatch or finish. */
  usedAt: number;
  /** Running mean of the swaps to this model, or null before the first. */
  swapMs: number | null;
  /** Newest gaps from a reply to the same caller's next request; Infinity if that was for another model or never came. */
  readonly gaps: Readonly<Record<ReplyKind, number[]>>;
  readonly away: Map<string, Away>;
  /** Failed swaps in a row, up to the refusal. */
  failures: number;
  /** How often it was found dead since it last answered anything. */
  deaths: number;
  /** Requests for it are refused until then. */
  refusedUntil: number;
  /** Requests up to this sequence number are to be refused: its health was asked after they came. */
  refusedSequence: number;
}

/** The state that decisions are made of; `applyEvent` is the only thing that changes it. */
export interface PolicyState {
  readonly settings: PolicySettings;
  readonly memoryBudget: number;
  readonly models: ReadonlyMap<string, ModelState>;
  /** The one swap or unload under way. */
  change: { readonly load: string | null; readonly unload: readonly string[] } | null;
  /** Model to load before anything else: its swap has just failed for the first time. */
  retry: string | null;
  /** Model to load although nobody asked for it yet. */
  preload: string | null;
  nextSequence: number;
}

/** What the config tells of a model; `parallel` is the best guess until the server was asked. */
export interface ModelSettings {
  readonly model: string;
  readonly memory: number;
  readonly pinned: boolean;
  readonly ttlMs: number;
  readonly parallel: number;
}

/** A fresh state in which only pinned models are resident. */
export function createPolicyState(
  models: readonly ModelSettings[],
  memoryBudget: number,
  settings: PolicySettings,
): PolicyState {
  return {
    settings,
    memoryBudget,
    models: new Map(models.map((model) => [model.model, createModelState(model)])),
    change: null,
    retry: null,
    preload: null,
    nextSequence: 0,
  };
}

/** The state of one configured model; throws for a name that is not configured, which is a bug. */
export function modelState(state: PolicyState, model: string): ModelState {
  const found = state.models.get(model);
  if (found === undefined) throw new Error(`policy knows no model "${model}"`);
  return found;
}

/** True for a model that runs nothing and that nobody waits for. */
export function isIdle(model: ModelState): boolean {
  return !isRunning(model) && model.waiting.length === 0;
}

/** True while anything runs on the model, so that it can be neither loaded nor unloaded. */
export function isRunning(model: ModelState): boolean {
  return model.inFlight + model.visits > 0;
}

/** Whether its server can take one more request. */
export function hasFreeSlot(model: ModelState): boolean {
  return model.inFlight + model.orphans < model.parallel;
}

/** Whether a request for it need not wait; a closing gate may make it wait all the same, but no second one. */
export function takesAtOnce(model: ModelState): boolean {
  const isNext = hasFreeSlot(model) && model.waiting.length === 0;
  return model.presence === 'resident' && !model.probing && isNext;
}

/** The request at the head of a model's queue; undefined when nobody waits for it. */
export function headOf(model: ModelState): Waiting | undefined {
  return model.waiting[0];
}

/** Arrival order of two requests. */
export function isBefore(a: Waiting, b: Waiting): boolean {
  return a.sequence < b.sequence;
}

function createModelState(settings: ModelSettings): ModelState {
  return {
    ...settings,
    presence: settings.pinned ? 'resident' : 'absent',
    probing: false,
    doubt: 'none',
    waiting: [],
    inFlight: 0,
    orphans: 0,
    tellsSlots: null,
    visits: 0,
    inFlightByCaller: new Map(),
    turnBeganAt: 0,
    loadedAt: null,
    usedAt: 0,
    swapMs: null,
    gaps: { plain: [], toolCall: [] },
    away: new Map(),
    failures: 0,
    deaths: 0,
    refusedUntil: 0,
    refusedSequence: -1,
  };
}
