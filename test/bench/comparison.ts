import { styleText } from 'node:util';
import type { RatioTargets, Scenario } from './scenarios.ts';
import { simulate } from './sim/engine.ts';
import { meanOf, summarize, type Summary } from './sim/metrics.ts';
import { fifo, llamaSwap, originalJano } from './sim/policies.ts';
import type { CreatePolicy } from './sim/simPolicy.ts';
import { turn } from './sim/turn.ts';
import { formatTable, short } from './table.ts';
import type { Targets } from './targets.ts';

/** What each policy makes of a scenario, means over the seeds. */
export interface Comparison {
  readonly scenario: Scenario;
  readonly fifo: Summary;
  readonly originalJano: Summary;
  readonly llamaSwap: Summary;
  readonly turn: Summary;
}

const JITTER = 0.1;
const OTHERS = ['fifo', 'original', 'llama-swap'];

/** Runs a scenario with each seed through each policy. */
export function compare(scenario: Scenario, seeds: readonly number[]): Comparison {
  const summaryOf = (policy: CreatePolicy): Summary =>
    meanOf(
      seeds.map((seed) => {
        const run = simulate(scenario.trace(seed), policy, { jitter: JITTER, seed });
        return summarize(run, scenario.counts);
      }),
    );
  return {
    scenario,
    fifo: summaryOf(fifo),
    originalJano: summaryOf(originalJano),
    llamaSwap: summaryOf(llamaSwap),
    turn: summaryOf(turn),
  };
}

/** A table of swaps and waits, a line for each scenario. */
export function formatFigures(comparisons: readonly Comparison[]): string {
  const columns = [...OTHERS, styleText('bold', 'turn')];
  const rows = comparisons.map((comparison) => [
    comparison.scenario.title,
    ...figures(comparison, ({ swaps }) => swaps),
    ...figures(comparison, ({ meanWaitMs }) => meanWaitMs / 1000),
    ...figures(comparison, ({ maxWaitMs }) => maxWaitMs / 1000),
  ]);
  return formatTable(
    [['', ...columns, ...columns, ...columns], ...rows],
    ['swaps', 'mean wait, s', 'longest wait, s'].map((title) => ({ title, columns: 4 })),
  );
}

/** A table of turn's figures divided by those of the others, with their targets. */
export function formatRatios(comparisons: readonly Comparison[], targets: Targets): string {
  const rows = comparisons.flatMap((comparison) => {
    const { title, makespan, meanWait, maxWait } = comparison.scenario;
    const lines: [string, RatioTargets | undefined, (summary: Summary) => number][] = [
      ['makespan', makespan, ({ makespanMs }) => makespanMs],
      ['mean wait', meanWait, ({ meanWaitMs }) => meanWaitMs],
      ['longest wait', maxWait, ({ maxWaitMs }) => maxWaitMs],
    ];
    return lines.flatMap(([name, most, of]) =>
      most === undefined ? [] : [[title, name, ...ratios(comparison, most, of, targets)]],
    );
  });
  return formatTable([['', '', ...OTHERS], ...withoutRepeats(rows)]);
}

function figures(comparison: Comparison, of: (summary: Summary) => number): string[] {
  return [
    short(of(comparison.fifo)),
    short(of(comparison.originalJano)),
    short(of(comparison.llamaSwap)),
    styleText('bold', short(of(comparison.turn))),
  ];
}

function ratios(
  comparison: Comparison,
  most: RatioTargets,
  of: (summary: Summary) => number,
  targets: Targets,
): string[] {
  return (['fifo', 'originalJano', 'llamaSwap'] as const).map((other) => {
    const limit = most[other];
    if (limit === null) return '';
    return targets.check(of(comparison.turn) / of(comparison[other]), limit, 2);
  });
}

function withoutRepeats(rows: readonly (readonly string[])[]): string[][] {
  return rows.map(([title = '', ...rest], index) => [
    rows[index - 1]?.[0] === title ? '' : title,
    ...rest,
  ]);
}
