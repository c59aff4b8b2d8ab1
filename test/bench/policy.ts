import { compare, formatFigures, formatRatios } from './comparison.ts';
import { measureDecide } from './decideCost.ts';
import { boundScenario, optimumScenarios, scenarios } from './scenarios.ts';
import { simulate } from './sim/engine.ts';
import { mean } from './sim/metrics.ts';
import { burstBound, optimum } from './sim/optimum.ts';
import type { Trace } from './sim/trace.ts';
import { turn } from './sim/turn.ts';
import { formatTable } from './table.ts';
import { Targets } from './targets.ts';

// Some targets are close: with fewer seeds they are missed by chance.
const SEEDS = 20;

/** The most that the median call of decide() may take, microseconds, by how many wait. */
const DECIDE_TARGETS = [
  { waiting: 10, mostUs: null },
  { waiting: 100, mostUs: 100 },
  { waiting: 1000, mostUs: 1000 },
];

main(Number(process.argv[2] ?? 1));

/** Prints what the policy "turn" is worth; exit code 1 when a target is missed. */
function main(firstSeed: number): void {
  const beganAt = performance.now();
  const seeds = Array.from({ length: SEEDS }, (_, index) => firstSeed + index);
  const targets = new Targets();
  const comparisons = scenarios.map((scenario) => compare(scenario, seeds));
  print(
    'The policy "turn" on a simulated machine',
    `one model fits, servers work on 4 requests at once, swaps take 12 s (chat), 25 s (code), 60 s (big),
  5 s (fast), each up to 10 % more or less; means over seeds ${seeds[0]} to ${seeds.at(-1)}`,
    formatFigures(comparisons),
  );
  print(
    'turn divided by the others',
    'what it is ≤ what it may be at most',
    formatRatios(comparisons, targets),
  );
  print(
    'turn divided by the best possible',
    'one request at a time, the optimum knows the future',
    formatOptimum(seeds, targets),
  );
  print(
    'One call of decide()',
    'on a busy machine, a quarter of the models fits, all requests are of one caller',
    formatCosts(targets),
  );
  const seconds = ((performance.now() - beganAt) / 1000).toFixed(1);
  const { checked, missed } = targets;
  const verdict = missed === 0 ? `all ${checked} targets met` : `${missed} of ${checked} missed`;
  console.log(`\n${verdict}, ${seconds} s\n`);
  process.exitCode = missed === 0 ? 0 : 1;
}

function print(title: string, subtitle: string, table: string): void {
  console.log(`\n${title}\n  ${subtitle}\n\n${table}`);
}

function formatOptimum(seeds: readonly number[], targets: Targets): string {
  const rows = optimumScenarios.map(({ title, trace, makespan, responseTime }) => {
    const runs = seeds.map((seed) => againstOptimum(trace(seed)));
    return [
      title,
      targets.check(mean(runs.map((run) => run.makespan)), makespan, 3),
      targets.check(mean(runs.map((run) => run.responseTime)), responseTime, 3),
    ];
  });
  const bound = seeds.map((seed) => {
    const trace = boundScenario.trace(seed);
    return simulate(trace, turn).endedAt / burstBound(trace);
  });
  rows.push([boundScenario.title, targets.check(mean(bound), boundScenario.makespan, 3)]);
  return formatTable([['', 'makespan', 'mean response time'], ...rows]);
}

function againstOptimum(trace: Trace): { makespan: number; responseTime: number } {
  const { endedAt, records } = simulate(trace, turn);
  const responseMs = mean(records.map((record) => record.endedAt - record.arrivedAt));
  return {
    makespan: endedAt / optimum(trace, 'makespan'),
    responseTime: responseMs / optimum(trace, 'responseTime'),
  };
}

function formatCosts(targets: Targets): string {
  const rows = DECIDE_TARGETS.map(({ waiting, mostUs }) => {
    const cells = [2, 20].flatMap((models) => {
      const { medianUs, p99Us } = measureDecide(models, waiting);
      const median = mostUs === null ? medianUs.toFixed(0) : targets.check(medianUs, mostUs, 0);
      return [median, p99Us.toFixed(0)];
    });
    return [`${waiting} waiting`, ...cells];
  });
  return formatTable(
    [['', 'median', 'p99', 'median', 'p99'], ...rows],
    [
      { title: '2 models, µs', columns: 2 },
      { title: '20 models, µs', columns: 2 },
    ],
  );
}
