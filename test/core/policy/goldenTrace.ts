import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Run } from '../../bench/sim/engine.ts';
import { summarize } from '../../bench/sim/metrics.ts';
import type { Trace } from '../../bench/sim/trace.ts';

const folder = new URL('traces/', import.meta.url);

const outcome = z.strictObject({
  /** When and to what, such as `3778:code`. */
  swaps: z.array(z.string()),
  endMs: z.number(),
  meanWaitMs: z.number(),
  maxWaitMs: z.number(),
});

/** What a policy makes of a trace, times rounded to milliseconds. */
export type GoldenOutcome = z.infer<typeof outcome>;

const golden = z.strictObject({
  models: z.array(
    z.strictObject({
      model: z.string(),
      loadMs: z.number(),
      memory: z.number(),
      parallel: z.number(),
      inputTokensPerSecond: z.number(),
      outputTokensPerSecond: z.number(),
      sharing: z.number(),
    }),
  ),
  memoryBudget: z.number(),
  resident: z.array(z.string()),
  requests: z.array(
    z.strictObject({
      id: z.number(),
      caller: z.string(),
      model: z.string(),
      inputTokens: z.number(),
      contextTokens: z.number(),
      outputTokens: z.number(),
      after: z.array(z.number()),
      delayMs: z.number(),
      endsInToolCall: z.boolean(),
    }),
  ),
  expected: z.strictObject({
    fifo: outcome,
    originalJano: outcome,
    llamaSwap: outcome,
    turn: outcome,
  }),
});

/** A recorded trace and what each policy made of it in the study the policy comes from. */
export interface GoldenTrace {
  readonly trace: Trace;
  readonly expected: z.infer<typeof golden>['expected'];
}

/** Reads one of the recorded traces; throws if it is not one. */
export function readGolden(name: string): GoldenTrace {
  const { expected, ...trace } = golden.parse(
    JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')),
  );
  return { trace, expected };
}

/** A run as the recorded traces tell it. */
export function outcomeOf(run: Run): GoldenOutcome {
  const { makespanMs, meanWaitMs, maxWaitMs } = summarize(run);
  return {
    swaps: run.swaps.map(({ load, startedAt }) => `${Math.round(startedAt)}:${load}`),
    endMs: Math.round(makespanMs),
    meanWaitMs: Math.round(meanWaitMs),
    maxWaitMs: Math.round(maxWaitMs),
  };
}
