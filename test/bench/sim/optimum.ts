import { serviceMs, type SimModel, type Trace, type TraceRequest } from './trace.ts';

/** What is to be as small as possible: when the last request ends, or how long a request takes on average from arrival to end. */
export type Goal = 'makespan' | 'responseTime';

interface Step {
  readonly model: string;
  readonly serviceMs: number;
  readonly delayMs: number;
}

/** Requests that are served one after the other: a loop of one caller, or independent ones for one model. */
interface Chain {
  readonly steps: readonly Step[];
  /** Each request comes after the reply to the one before it. */
  readonly isLoop: boolean;
}

/** How many requests of each chain have been served, and what is resident then. */
interface Position {
  readonly served: readonly number[];
  readonly resident: string;
}

/** One way to get to a position. */
interface Label {
  readonly at: number;
  /** When the next request of each chain comes. */
  readonly readyAt: readonly number[];
  readonly responseMs: number;
}

type Layer = Map<string, { readonly position: Position; readonly labels: Label[] }>;

const MOST_LABELS = 400_000;

/**
 * The best that anybody who knew the future could do, in milliseconds: one resident model, one request
 * at a time, no swap before somebody needs it. Exact, by keeping of each position every way that is not
 * worse than another; throws when a trace is too large for that.
 */
export function optimum(trace: Trace, goal: Goal): number {
  const chains = chainsOf(trace);
  const total = chains.reduce((sum, chain) => sum + chain.steps.length, 0);
  const models = new Map(trace.models.map((model) => [model.model, model]));
  const start = { served: chains.map(() => 0), resident: trace.resident[0] ?? '' };
  const readyAt = chains.map(({ steps }) => steps[0]?.delayMs ?? 0);
  let layer: Layer = new Map();
  layer.set('', { position: start, labels: [{ at: 0, readyAt, responseMs: 0 }] });
  for (let served = 0; served < total; served += 1) {
    layer = nextLayer(layer, chains, models, goal);
    let count = 0;
    for (const { labels } of layer.values()) count += labels.length;
    if (count > MOST_LABELS) throw new Error('the trace is too large for an exact optimum');
  }
  const ends = [...layer.values()].flatMap(({ labels }) => labels);
  return Math.min(...ends.map((end) => (goal === 'makespan' ? end.at : end.responseMs / total)));
}

/** A time before which no policy can end a burst, in milliseconds: each absent model loaded once, all work at full speed. */
export function burstBound(trace: Trace): number {
  let bound = Math.min(...trace.requests.map(({ delayMs }) => delayMs));
  for (const model of trace.models) {
    const works = trace.requests
      .filter((request) => request.model === model.model)
      .map((request) => serviceMs(model, request, true));
    if (works.length === 0) continue;
    if (!trace.resident.includes(model.model)) bound += model.loadMs;
    const sideBySide = Math.min(model.parallel, works.length);
    const sum = works.reduce((a, b) => a + b, 0);
    bound += Math.max(sum / sideBySide ** model.sharing, ...works);
  }
  return bound;
}

function chainsOf(trace: Trace): Chain[] {
  const models = new Map(trace.models.map((model) => [model.model, model]));
  const toStep = (request: TraceRequest): Step => ({
    model: request.model,
    serviceMs: serviceMs(known(models, request.model), request, true),
    delayMs: request.delayMs,
  });
  const loops: Chain[] = [];
  const independent = new Map<string, Step[]>();
  for (const request of trace.requests.toSorted((a, b) => a.delayMs - b.delayMs || a.id - b.id)) {
    if (request.after.length > 0) continue;
    const loop = [request];
    for (let next = followerOf(trace, request); next; next = followerOf(trace, next)) {
      loop.push(next);
    }
    if (loop.length > 1) loops.push({ steps: loop.map(toStep), isLoop: true });
    else
      independent.set(request.model, [...(independent.get(request.model) ?? []), toStep(request)]);
  }
  return [...loops, ...[...independent.values()].map((steps) => ({ steps, isLoop: false }))];
}

function followerOf(trace: Trace, request: TraceRequest): TraceRequest | undefined {
  return trace.requests.find(({ after }) => after.includes(request.id));
}

/** All positions with one more request served. */
function nextLayer(
  layer: Layer,
  chains: readonly Chain[],
  models: ReadonlyMap<string, SimModel>,
  goal: Goal,
): Layer {
  const next: Layer = new Map();
  for (const { position, labels } of layer.values()) {
    for (const [index, chain] of chains.entries()) {
      const step = chain.steps[position.served[index] ?? 0];
      if (step === undefined) continue;
      const served = position.served.with(index, (position.served[index] ?? 0) + 1);
      const key = `${served.join(',')}|${step.model}`;
      const target = next.get(key) ?? { position: { served, resident: step.model }, labels: [] };
      next.set(key, target);
      const loadMs = step.model === position.resident ? null : known(models, step.model).loadMs;
      for (const label of labels) {
        keepBest(target.labels, serve({ label, position, chains, index, step, loadMs }), goal);
      }
    }
  }
  return next;
}

function serve(by: {
  label: Label;
  position: Position;
  chains: readonly Chain[];
  index: number;
  step: Step;
  loadMs: number | null;
}): Label {
  const { label, position, chains, index, step, loadMs } = by;
  const nextOf = (other: number): Step | undefined =>
    chains[other]?.steps[position.served[other] ?? 0];
  const arrivedAt = label.readyAt[index] ?? 0;
  let at = label.at;
  if (loadMs !== null) {
    const asked = label.readyAt.filter((_, other) => nextOf(other)?.model === step.model);
    at = Math.max(at, Math.min(...asked)) + loadMs;
  }
  const endsAt = Math.max(at, arrivedAt) + step.serviceMs;
  const chain = chains[index];
  const following = chain?.steps[(position.served[index] ?? 0) + 1];
  const followsAt = following === undefined ? 0 : following.delayMs + (chain?.isLoop ? endsAt : 0);
  const readyAt = label.readyAt.with(index, followsAt);
  return { at: endsAt, readyAt, responseMs: label.responseMs + endsAt - arrivedAt };
}

function keepBest(labels: Label[], label: Label, goal: Goal): void {
  if (labels.some((other) => isAsGood(other, label, goal))) return;
  let kept = 0;
  for (const other of labels) if (!isAsGood(label, other, goal)) labels[kept++] = other;
  labels.length = kept;
  labels.push(label);
}

function isAsGood(a: Label, b: Label, goal: Goal): boolean {
  const slackMs = 1e-9;
  if (a.at > b.at + slackMs) return false;
  if (goal === 'responseTime' && a.responseMs > b.responseMs + slackMs) return false;
  return a.readyAt.every((readyAt, index) => readyAt <= (b.readyAt[index] ?? 0) + slackMs);
}

function known(models: ReadonlyMap<string, SimModel>, model: string): SimModel {
  const found = models.get(model);
  if (found === undefined) throw new Error(`no model "${model}"`);
  return found;
}
