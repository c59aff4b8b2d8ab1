import type { Run } from './engine.ts';
import type { TraceRequest } from './trace.ts';

/** What counts of a run, or the means over several. Waits last from arrival to the start of work in the server. */
export interface Summary {
  readonly swaps: number;
  readonly makespanMs: number;
  readonly meanWaitMs: number;
  readonly maxWaitMs: number;
}

/** The figures of a run; waits only of the requests that `counts`. */
export function summarize(
  run: Run,
  counts: (request: TraceRequest) => boolean = () => true,
): Summary {
  const waits = run.records
    .filter(({ request }) => counts(request))
    .map(({ startedAt, arrivedAt }) => startedAt - arrivedAt);
  return {
    swaps: run.swaps.length,
    makespanMs: run.endedAt,
    meanWaitMs: mean(waits),
    maxWaitMs: Math.max(...waits),
  };
}

/** The means of the figures of several runs. */
export function meanOf(summaries: readonly Summary[]): Summary {
  return {
    swaps: mean(summaries.map(({ swaps }) => swaps)),
    makespanMs: mean(summaries.map(({ makespanMs }) => makespanMs)),
    meanWaitMs: mean(summaries.map(({ meanWaitMs }) => meanWaitMs)),
    maxWaitMs: mean(summaries.map(({ maxWaitMs }) => maxWaitMs)),
  };
}

/** The arithmetic mean; NaN of nothing. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
