import type { Backend } from '../core/backend.ts';
import type { Catalog } from '../core/catalog.ts';
import { askHealth, type Health } from './health.ts';
import { findImpostor } from './impostor.ts';
import { runWithin } from './limit.ts';
import { waitForHealth } from './readiness.ts';
import { askResidents, readResidents } from './residents.ts';
import { runScript, type ScriptEnd } from './script.ts';
import { findProblem } from './scriptProblem.ts';
import type { SwapLimits, SwapSettings } from './settings.ts';
import { askSlots, watchSlots } from './slots.ts';
import type { SwapOrder, SwapPhase, Swapper, SwapResult } from './swapper.ts';

const USUAL_LIMITS: SwapLimits = {
  graceMs: 2000,
  probeMs: 2000,
  busySlotsMs: 30_000,
  statusMs: 10_000,
};
const STOPPING = 'jano is stopping';
const SUCCESS = { outcome: 'ok', error: null } as const;
/** Always set, so that scripts with `set -u` need no defaults. */
const NO_VARIABLES = { JANO_MODEL: '', JANO_FROM: '', JANO_URL: '', JANO_CAUSE: '' };

type Failure = Pick<SwapResult, 'outcome' | 'error'>;

/** A swapper that runs the user's program. `now` is the clock of the lengths of time that it reports. */
export function createSwapper(
  settings: SwapSettings,
  catalog: Catalog,
  now: () => number,
  limits: SwapLimits = USUAL_LIMITS,
): Swapper {
  return new ScriptSwapper(settings, catalog, now, limits);
}

class ScriptSwapper implements Swapper {
  readonly #settings: SwapSettings;
  readonly #catalog: Catalog;
  readonly #now: () => number;
  readonly #limits: SwapLimits;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(settings: SwapSettings, catalog: Catalog, now: () => number, limits: SwapLimits) {
    this.#settings = settings;
    this.#catalog = catalog;
    this.#now = now;
    this.#limits = limits;
  }

  async swap(order: SwapOrder, onPhase: (phase: SwapPhase) => void): Promise<SwapResult> {
    const startedAt = this.#now();
    try {
      return await this.#within(this.#settings.timeoutMs, (limit) =>
        this.#swap(order, startedAt, onPhase, limit),
      );
    } catch (cause) {
      const error = `swap of "${order.load.model}" failed: ${String(cause)}`;
      return { outcome: 'script_failed', scriptMs: this.#now() - startedAt, readyMs: null, error };
    }
  }

  unload(backend: Backend): Promise<string | null> {
    const words = ['unload', backend.model];
    const variables = { JANO_MODEL: backend.model, JANO_URL: backend.url };
    return this.#within(this.#settings.timeoutMs, async (limit) => {
      const end = await this.#call(words, variables, limit);
      return this.#findFailure(`unload of "${backend.model}"`, words, end)?.error ?? null;
    });
  }

  async findResident(backends: readonly Backend[]): Promise<ReadonlySet<string>> {
    const limitMs = Math.min(this.#settings.timeoutMs, this.#limits.statusMs);
    const end = await this.#within(limitMs, (limit) => this.#call(['status'], {}, limit));
    const isAnswer = end.kind === 'exited' && end.code === 0;
    const told = isAnswer ? readResidents(end.stdout, backends) : null;
    if (told === null) return askResidents(backends, (backend) => this.isHealthy(backend));
    // Its server runs, but may not serve yet: then it is swapped to, which waits for that.
    const running = backends.filter(({ model }) => told.has(model));
    const states = await Promise.all(running.map((backend) => this.isHealthy(backend)));
    return new Set(running.filter((_, index) => states[index]).map(({ model }) => model));
  }

  async isHealthy(backend: Backend): Promise<boolean> {
    return (await this.#track(this.#ask(backend, this.#stopping.signal))).isHealthy;
  }

  askParallel(backend: Backend): Promise<number | null> {
    return this.#track(askSlots(backend, this.#limits.probeMs, this.#stopping.signal));
  }

  watchSlots(
    backend: Backend,
    tell: (busy: number | null) => void,
    end: AbortSignal,
  ): Promise<void> {
    const pace = { pollMs: this.#settings.pollMs, limitMs: this.#limits.busySlotsMs };
    const stop = AbortSignal.any([this.#stopping.signal, end]);
    return this.#track(watchSlots(backend, pace, stop, tell));
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#running);
  }

  async #swap(
    { load, unload, cause }: SwapOrder,
    startedAt: number,
    onPhase: (phase: SwapPhase) => void,
    limit: AbortSignal,
  ): Promise<SwapResult> {
    const subject = `swap of "${load.model}"`;
    const words = [load.model];
    const variables = {
      JANO_MODEL: load.model,
      JANO_FROM: unload.map(({ model }) => model).join(' '),
      JANO_URL: load.url,
      JANO_CAUSE: cause.why,
    };

    onPhase('script');
    const end = await this.#call(words, variables, limit);
    const scriptMs = this.#now() - startedAt;
    const failure = this.#findFailure(subject, words, end);
    if (failure !== null) return { ...failure, scriptMs, readyMs: null };

    onPhase('ready');
    const lateness = await this.#awaitHealth(subject, load, limit);
    const readyMs = this.#now() - startedAt - scriptMs;
    return { ...(lateness ?? SUCCESS), scriptMs, readyMs };
  }

  async #awaitHealth(
    subject: string,
    backend: Backend,
    limit: AbortSignal,
  ): Promise<Failure | null> {
    const { pollMs, timeoutMs } = this.#settings;
    const health = await waitForHealth((stop) => this.#ask(backend, stop), pollMs, limit);
    if (health?.isHealthy === true) return null;
    if (this.#stopping.signal.aborted) return { outcome: 'timeout', error: STOPPING };
    const seen = health?.seen ?? 'no time was left to ask for its health';
    return { outcome: 'timeout', error: `${subject} timed out after ${timeoutMs} ms: ${seen}` };
  }

  /** Its health; where others at its URL would pass for it, also whether it is one of them that answers. */
  async #ask(backend: Backend, stop: AbortSignal): Promise<Health> {
    const { probeMs } = this.#limits;
    const health = await askHealth(backend, probeMs, stop);
    if (!health.isHealthy || this.#catalog.isDistinct(backend)) return health;
    const objection = await findImpostor(backend, this.#catalog, probeMs, stop);
    return objection === null ? health : { isHealthy: false, seen: objection };
  }

  async #call(
    words: readonly string[],
    variables: Readonly<Record<string, string>>,
    limit: AbortSignal,
  ): Promise<ScriptEnd> {
    const { command, directory, environment } = this.#settings;
    if (command === null) return { kind: 'notStarted', why: 'no swap.command is configured' };
    const [program, ...leading] = command;
    const call = {
      program,
      arguments: [...leading, ...words],
      directory,
      environment: { ...environment, ...NO_VARIABLES, ...variables },
      graceMs: this.#limits.graceMs,
      isQuestion: words[0] === 'status',
    };
    return runScript(call, limit);
  }

  #findFailure(subject: string, words: readonly string[], end: ScriptEnd): Failure | null {
    const problem = findProblem([...(this.#settings.command ?? []), ...words].join(' '), end);
    if (problem === null) return null;
    if (end.kind !== 'interrupted') {
      return { outcome: 'script_failed', error: `${subject} failed: ${problem}` };
    }
    if (this.#stopping.signal.aborted) return { outcome: 'script_failed', error: STOPPING };
    const { timeoutMs } = this.#settings;
    return { outcome: 'timeout', error: `${subject} timed out after ${timeoutMs} ms: ${problem}` };
  }

  #within<T>(limitMs: number, work: (limit: AbortSignal) => Promise<T>): Promise<T> {
    return this.#track(runWithin(limitMs, this.#stopping.signal, work));
  }

  /** Has close() wait for the work. */
  async #track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }
}
