import type { Random } from '../../../bench/sim/random.ts';
import type { SwapOutcome } from '../../../../src/core/record.ts';
import type { Load } from './invariants.ts';
import type { Plan, PlannedModel, PlannedRequest } from './plan.ts';

/** The servers as they are in truth, of which the scheduler hears only through events. */
export class Servers {
  readonly #plan: Plan;
  readonly #random: Random;
  readonly #up: Set<string>;
  /** Their swap timed out, but they are still coming up. */
  readonly #late = new Set<string>();
  /** They have died, but their processes still hold memory. */
  readonly #hanging = new Set<string>();
  readonly #overfilledBy: string[] = [];
  readonly #requests = new Map<string, number>();
  readonly #visits = new Map<string, number>();

  constructor(plan: Plan, random: Random) {
    this.#plan = plan;
    this.#random = random;
    const pinned = plan.models.filter((model) => model.pinned).map(({ model }) => model);
    this.#up = new Set([...plan.resident, ...pinned]);
  }

  get load(): Load {
    return { requests: this.#requests, visits: this.#visits };
  }

  /** Models whose load did not fit beside what was in memory in truth. */
  get overfilledBy(): readonly string[] {
    return this.#overfilledBy;
  }

  isUp(model: string): boolean {
    return this.#up.has(model);
  }

  /** Takes a request; after how long it is answered, or null when the server is not there. */
  send({ model, serviceMs }: PlannedRequest): number | null {
    add(this.#requests, model, 1);
    return this.isUp(model) ? serviceMs : null;
  }

  ended(model: string): void {
    add(this.#requests, model, -1);
  }

  /** Whether the server goes on with a request whose caller has left, for how long, and whether it tells so when asked. */
  worksOn(): boolean {
    return this.#random.chance(0.5);
  }

  worksOnMs(): number {
    return this.#random.chance(0.2) ? 0 : this.#random.integer(1, 400_000);
  }

  tells(): boolean {
    return this.#random.chance(0.7);
  }

  visitBegan(model: string): void {
    add(this.#visits, model, 1);
  }

  visitEnded(model: string): void {
    add(this.#visits, model, -1);
  }

  die(model: string): void {
    this.#up.delete(model);
    if (this.#random.chance(0.5)) this.#hanging.add(model);
  }

  /** How long a request hangs on a server that has died: some connections break at once, others much later. */
  breaksAfterMs(): number {
    return this.#random.chance(0.5)
      ? this.#random.integer(0, 50)
      : this.#random.integer(50, 90_000);
  }

  probeMs(): number {
    return this.#random.chance(0.2) ? 0 : this.#random.integer(1, 5000);
  }

  looksHealthy(model: string): boolean {
    return this.isUp(model) !== this.#random.chance(this.#plan.trouble.probeErrs);
  }

  /** Begins to unload; whether it is going to work. */
  unload(model: string): boolean {
    const ok = !this.#random.chance(this.#plan.trouble.unloadFails);
    if (ok) this.#stop(model);
    return ok;
  }

  /** Begins a swap; how it is going to end, and after how long. */
  swap(load: string, unload: readonly string[]): { outcome: SwapOutcome; ms: number } {
    const { scriptFails, swapTimesOut, victimsSurvive } = this.#plan.trouble;
    const outcome = this.#random.chance(scriptFails)
      ? 'script_failed'
      : this.#random.chance(swapTimesOut)
        ? 'timeout'
        : 'ok';
    const survive = outcome === 'script_failed' && this.#random.chance(victimsSurvive);
    if (!survive) for (const model of unload) this.#stop(model);
    if (outcome !== 'script_failed') this.#noteRoom(load);
    const ms = this.#planned(load)?.swapMs ?? 0;
    return { outcome, ms: outcome === 'timeout' ? 2 * ms : ms };
  }

  /** A swap has ended; how long after it a model that timed out comes up all the same, null if it does not. */
  swapEnded(load: string, outcome: SwapOutcome): number | null {
    if (outcome === 'ok') {
      this.#stop(load);
      this.#up.add(load);
    }
    const isLate = outcome === 'timeout' && this.#random.chance(this.#plan.trouble.comesUpLate);
    if (!isLate) return null;
    this.#late.add(load);
    return this.#random.integer(0, 40_000);
  }

  comeUpLate(model: string): void {
    if (this.#late.delete(model)) this.#up.add(model);
  }

  /** What the server says of its slots when asked, or null when it is not asked. */
  slotsOf(model: string): number | null {
    const isAsked = this.#random.chance(0.3);
    return isAsked ? (this.#planned(model)?.parallel ?? null) : null;
  }

  #stop(model: string): void {
    for (const set of [this.#up, this.#late, this.#hanging]) set.delete(model);
  }

  /** Every model that is up, coming up or hanging holds its memory, whatever the scheduler thinks. */
  #noteRoom(load: string): void {
    const others = new Set([...this.#up, ...this.#late, ...this.#hanging]);
    others.delete(load);
    let held = this.#planned(load)?.memory ?? 0;
    for (const other of others) {
      const model = this.#planned(other);
      if (model?.pinned === false) held += model.memory;
    }
    const isTwice = this.#hanging.has(load);
    if (isTwice || held > this.#plan.memoryBudget) this.#overfilledBy.push(load);
  }

  #planned(model: string): PlannedModel | undefined {
    return this.#plan.models.find((one) => one.model === model);
  }
}

function add(counts: Map<string, number>, model: string, difference: number): void {
  counts.set(model, (counts.get(model) ?? 0) + difference);
}
