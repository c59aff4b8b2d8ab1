import type { PolicyEvent } from '../../../src/core/policy/events.ts';
import type { Waiting } from '../../../src/core/policy/state.ts';
import { Arrivals } from './arrivals.ts';
import { Machine } from './machine.ts';
import { Random } from './random.ts';
import type { Act, CreatePolicy, ModelView, SimPolicy, View } from './simPolicy.ts';
import type { Trace, TraceRequest } from './trace.ts';

/** What became of one request. Times are milliseconds since the start of the trace. */
export interface SimRecord {
  readonly request: TraceRequest;
  readonly arrivedAt: number;
  /** When its server began to work on it. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** What a policy made of a trace. */
export interface Run {
  readonly records: readonly SimRecord[];
  readonly swaps: readonly { readonly load: string; readonly startedAt: number }[];
  readonly endedAt: number;
}

interface Settings {
  /** Swaps take up to this share longer or shorter than the models say. */
  readonly jitter: number;
  readonly seed: number;
}

const EXACT: Settings = { jitter: 0, seed: 1 };
const MOST_DECISIONS_AT_ONCE = 100_000;
const MOST_SWAPS = 20_000;

/** Runs a trace through a policy. Throws when the policy breaks a rule of the machine or leaves requests waiting. */
export function simulate(
  trace: Trace,
  createPolicy: CreatePolicy,
  settings: Settings = EXACT,
): Run {
  return new Simulation(trace, createPolicy(trace), settings).run();
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

class Simulation {
  readonly #trace: Trace;
  readonly #policy: SimPolicy;
  readonly #jitter: number;
  readonly #random: Random;
  readonly #machine: Machine;
  readonly #arrivals: Arrivals;
  readonly #requests: ReadonlyMap<number, TraceRequest>;
  readonly #models: ReadonlyMap<string, Mutable<ModelView>>;
  readonly #waiting: Waiting[] = [];
  readonly #records = new Map<number, Mutable<SimRecord>>();
  readonly #swaps: { load: string; startedAt: number }[] = [];
  #swap: { load: string; startedAt: number; endsAt: number } | null = null;
  #wakeAt = Number.POSITIVE_INFINITY;
  #now = 0;

  constructor(trace: Trace, policy: SimPolicy, settings: Settings) {
    this.#trace = trace;
    this.#policy = policy;
    this.#jitter = settings.jitter;
    this.#random = new Random(settings.seed);
    this.#machine = new Machine(trace);
    this.#arrivals = new Arrivals(trace.requests);
    this.#requests = new Map(trace.requests.map((request) => [request.id, request]));
    this.#models = new Map(
      trace.models.map(({ model, memory, parallel }) => [
        model,
        { model, memory, parallel, presence: 'absent', inFlight: 0, usedAt: 0 },
      ]),
    );
  }

  run(): Run {
    for (const model of this.#trace.resident) {
      this.#model(model).presence = 'resident';
      this.#tell({ kind: 'seenResident', model });
    }
    for (;;) {
      this.#decide();
      const next = this.#nextAt();
      if (next === Number.POSITIVE_INFINITY) break;
      this.#machine.work(next - this.#now);
      this.#now = next;
      this.#settleRequests();
      this.#settleSwap();
      this.#admit();
    }
    if (this.#waiting.length > 0) throw this.#broken(`${this.#waiting.length} wait for ever`);
    const records = [...this.#records.values()].toSorted((a, b) => a.request.id - b.request.id);
    return { records, swaps: this.#swaps, endedAt: this.#now };
  }

  #nextAt(): number {
    const swapEndsAt = this.#swap?.endsAt ?? Number.POSITIVE_INFINITY;
    const { nextAt } = this.#arrivals;
    return Math.min(this.#machine.nextEndAt(this.#now), nextAt, swapEndsAt, this.#wakeAt);
  }

  #decide(): void {
    for (let decisions = 0; decisions < MOST_DECISIONS_AT_ONCE; decisions += 1) {
      const act = this.#policy.decide(this.#view());
      if (act.kind === 'forward') this.#forward(act.id);
      else if (act.kind === 'swap') this.#beginSwap(act);
      else {
        const isAhead = act.until !== null && act.until > this.#now;
        this.#wakeAt = isAhead ? act.until : Number.POSITIVE_INFINITY;
        return;
      }
    }
    throw this.#broken('decides without end');
  }

  #view(): View {
    const { memoryBudget } = this.#trace;
    return { now: this.#now, memoryBudget, models: this.#models, waiting: this.#waiting };
  }

  #forward(id: number): void {
    const index = this.#waiting.findIndex((waiting) => waiting.id === id);
    const [waiting] = index === -1 ? [] : this.#waiting.splice(index, 1);
    if (waiting === undefined) throw this.#broken(`forwards request ${id}, which does not wait`);
    const model = this.#model(waiting.model);
    if (model.presence !== 'resident') throw this.#broken(`forwards to absent "${model.model}"`);
    model.inFlight += 1;
    model.usedAt = this.#now;
    this.#tell({ kind: 'forwarded', id, model: model.model });
    if (this.#machine.send(this.#request(id))) this.#record(id).startedAt = this.#now;
  }

  #beginSwap({ load, unload }: Extract<Act, { kind: 'swap' }>): void {
    if (this.#swap !== null) throw this.#broken('begins a second swap');
    if (this.#swaps.length >= MOST_SWAPS) throw this.#broken('swaps without end');
    const target = this.#model(load);
    if (target.presence !== 'absent') throw this.#broken(`loads ${target.presence} "${load}"`);
    for (const name of unload) {
      const victim = this.#model(name);
      const isFree = victim.presence === 'resident' && victim.inFlight === 0;
      if (!isFree) throw this.#broken(`unloads "${name}", which is busy or absent`);
      victim.presence = 'absent';
    }
    target.presence = 'loading';
    if (this.#heldMemory() > this.#trace.memoryBudget) throw this.#broken('overfills the memory');
    this.#tell({ kind: 'swapBegan', load, unload });
    const jitter = 1 + this.#jitter * (2 * this.#random.next() - 1);
    const loadMs = this.#trace.models.find(({ model }) => model === load)?.loadMs ?? 0;
    this.#swap = { load, startedAt: this.#now, endsAt: this.#now + loadMs * jitter };
    this.#swaps.push({ load, startedAt: this.#now });
  }

  #settleRequests(): void {
    const { ended, started } = this.#machine.settle(this.#now);
    for (const { id } of started) this.#record(id).startedAt = this.#now;
    for (const { id, caller, model: name, endsInToolCall } of ended) {
      const model = this.#model(name);
      model.inFlight -= 1;
      model.usedAt = this.#now;
      this.#record(id).endedAt = this.#now;
      const reply = endsInToolCall ? 'toolCall' : 'plain';
      this.#tell({
        kind: 'finished',
        model: name,
        caller,
        reply,
        hasServed: true,
        mayGoOn: false,
      });
      this.#arrivals.answered(id, this.#now);
    }
  }

  #settleSwap(): void {
    const swap = this.#swap;
    if (swap === null || swap.endsAt > this.#now) return;
    const model = this.#model(swap.load);
    model.presence = 'resident';
    model.usedAt = this.#now;
    this.#machine.loaded(swap.load);
    this.#swap = null;
    this.#tell({ kind: 'swapEnded', outcome: 'ok', ms: swap.endsAt - swap.startedAt });
  }

  #admit(): void {
    const queuedAt = this.#now;
    for (;;) {
      const request = this.#arrivals.take(queuedAt);
      if (request === undefined) return;
      const { id, model, caller } = request;
      const sequence = this.#records.size;
      this.#records.set(id, { request, arrivedAt: queuedAt, startedAt: NaN, endedAt: NaN });
      this.#waiting.push({ id, model, caller, queuedAt, sequence });
      this.#tell({ kind: 'queued', id, model, caller });
    }
  }

  #tell(event: PolicyEvent): void {
    this.#policy.observe?.(event, this.#now);
  }

  #heldMemory(): number {
    let held = 0;
    for (const model of this.#models.values())
      if (model.presence !== 'absent') held += model.memory;
    return held;
  }

  #model(name: string): Mutable<ModelView> {
    const model = this.#models.get(name);
    if (model === undefined) throw this.#broken(`names model "${name}", which does not exist`);
    return model;
  }

  #request(id: number): TraceRequest {
    const request = this.#requests.get(id);
    if (request === undefined) throw this.#broken(`names request ${id}, which does not exist`);
    return request;
  }

  #record(id: number): Mutable<SimRecord> {
    const record = this.#records.get(id);
    if (record === undefined) throw this.#broken(`names request ${id}, which has not come`);
    return record;
  }

  #broken(what: string): Error {
    return new Error(`at ${this.#now} ms policy ${this.#policy.name} ${what}`);
  }
}
