import { agents, aider, people, subagents, workingDay } from './sim/loops.ts';
import type { Trace, TraceRequest } from './sim/trace.ts';
import { burst, dump, flood, openTraffic, readmeBurst } from './sim/traffic.ts';

/** What a figure of turn, divided by that of another policy, may be at most; null = no target. */
export interface RatioTargets {
  readonly fifo: number | null;
  readonly originalJano: number | null;
  readonly llamaSwap: number | null;
}

/** A kind of traffic, and how well turn has to do on it. */
export interface Scenario {
  readonly title: string;
  readonly trace: (seed: number) => Trace;
  /** Whose waits count; absent = everybody's. */
  readonly counts?: (request: TraceRequest) => boolean;
  readonly makespan?: RatioTargets;
  readonly meanWait?: RatioTargets;
  readonly maxWait?: RatioTargets;
}

/** The traffic that turn is compared on with other policies. */
export const scenarios: readonly Scenario[] = [
  {
    title: 'burst: 30 requests, 3 models, 2 s',
    trace: (seed) => burst(seed, { requests: 30, models: 3, spreadMs: 2000 }),
    makespan: atMost(0.32, 0.65, 1),
    meanWait: atMost(0.25, 0.5, 0.85),
  },
  {
    title: 'burst: 60 requests, 4 models, 20 s',
    trace: (seed) => burst(seed, { requests: 60, models: 4, spreadMs: 20_000 }),
    makespan: atMost(0.25, 0.62, 1.03),
    meanWait: atMost(0.25, 0.6, 1.05),
  },
  {
    title: 'open traffic, load 0.6',
    trace: (seed) => openTraffic(seed, 0.6, 60),
    meanWait: atMost(0.1, 0.65, 1.05),
    maxWait: atMost(0.15, 0.85, 1.25),
  },
  {
    title: 'open traffic, load 1.3',
    trace: (seed) => openTraffic(seed, 1.3, 60),
    meanWait: atMost(0.05, 0.2, 1.05),
    maxWait: atMost(0.05, 0.25, 1.1),
  },
  {
    title: '2 agents on 2 models',
    trace: (seed) => agents(seed, crew({ chat: 1, code: 1 }), 30),
    makespan: atMost(0.3, 0.3, 0.3),
    meanWait: atMost(0.25, 0.25, 0.25),
    maxWait: atMost(1.6, 1.6, 1.6),
  },
  {
    title: '4 agents on 3 models',
    trace: (seed) => agents(seed, crew({ chat: 2, code: 1, big: 1 }), 20),
    makespan: atMost(0.3, 0.35, 0.3),
    meanWait: atMost(0.2, 0.3, 0.25),
  },
  {
    title: '4 + 4 agents on 2 models',
    trace: (seed) => agents(seed, crew({ chat: 4, code: 4 }), 20),
    makespan: atMost(0.25, 0.85, 1.2),
    maxWait: atMost(0.9, 0.45, 0.8),
  },
  {
    title: 'an agent with subagents',
    trace: (seed) => subagents(seed, 4),
    makespan: atMost(0.5, 0.7, 0.6),
    meanWait: atMost(0.3, 0.4, 0.35),
  },
  {
    title: 'aider alone (nothing to gain)',
    trace: (seed) => aider(seed, 8),
    makespan: atMost(1.03, 1.03, 1.03),
  },
  {
    title: 'people chatting on 2 models',
    trace: (seed) => people(seed, crew({ chat: 3, big: 2 }), 15),
    makespan: atMost(0.7, 0.9, 0.9),
    meanWait: atMost(0.6, 0.75, 0.85),
  },
  {
    title: 'a rare request behind a flood (its wait)',
    trace: (seed) => flood(seed, { callers: 3, minutes: 20, rareEveryMs: 120_000 }),
    counts: ({ caller }) => caller === 'rare',
    meanWait: atMost(null, 0.1, 0.25),
    maxWait: atMost(null, 0.1, 0.15),
  },
  {
    title: 'people behind a dump of 40 (their waits)',
    trace: (seed) => dump(seed, 40),
    counts: ({ caller }) => caller !== 'dump',
    meanWait: atMost(0.25, 0.1, 0.25),
    maxWait: atMost(0.15, 0.1, 0.15),
  },
  {
    title: 'a working day of 2 h',
    trace: (seed) => workingDay(seed, 120),
    meanWait: atMost(0.1, 0.5, 0.9),
    maxWait: atMost(0.15, 0.35, 0.8),
  },
];

/** Small traffic of which the optimum can be found; targets are ratios to it. */
export interface OptimumScenario {
  readonly title: string;
  readonly trace: (seed: number) => Trace;
  readonly makespan: number;
  readonly responseTime: number;
}

/** The traffic that turn is compared on with the optimum. */
export const optimumScenarios: readonly OptimumScenario[] = [
  {
    title: 'burst of 6, its first model resident',
    trace: () => readmeBurst('chat', 1),
    makespan: 1,
    responseTime: 1,
  },
  {
    title: 'burst of 6, its second model resident',
    trace: () => readmeBurst('code', 1),
    makespan: 1,
    responseTime: 1,
  },
  {
    title: '16 requests, 3 models, at once',
    trace: (seed) => burst(seed, { requests: 16, models: 3, spreadMs: 0, parallel: 1 }),
    makespan: 1.005,
    responseTime: 1.2,
  },
  {
    title: '16 requests, 3 models, over 2 s',
    trace: (seed) => burst(seed, { requests: 16, models: 3, spreadMs: 2000, parallel: 1 }),
    makespan: 1.03,
    responseTime: 1.45,
  },
  {
    title: '2 agents, 8 turns each',
    trace: (seed) => withoutContext(agents(seed, crew({ chat: 1, code: 1 }), 8, { parallel: 1 })),
    makespan: 1.4,
    responseTime: 2,
  },
  {
    title: '3 agents, 6 turns each',
    trace: (seed) => withoutContext(agents(seed, crew({ chat: 2, code: 1 }), 6, { parallel: 1 })),
    makespan: 1.2,
    responseTime: 1.5,
  },
];

/** A burst whose makespan is compared with a bound that nobody can beat. */
export const boundScenario = {
  title: '30 requests side by side, against a bound',
  trace: (seed: number): Trace => burst(seed, { requests: 30, models: 3, spreadMs: 2000 }),
  makespan: 1.12,
};

function atMost(
  fifo: number | null,
  originalJano: number | null,
  llamaSwap: number | null,
): RatioTargets {
  return { fifo, originalJano, llamaSwap };
}

function crew(callersByModel: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(callersByModel);
}

/** The optimum takes every conversation for warm. */
function withoutContext(trace: Trace): Trace {
  const requests = trace.requests.map((request) => ({ ...request, contextTokens: 0 }));
  return { ...trace, requests };
}
