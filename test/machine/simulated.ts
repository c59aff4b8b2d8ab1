import { simulate } from '../bench/sim/engine.ts';
import type { CreatePolicy } from '../bench/sim/simPolicy.ts';
import type { Trace, TraceRequest } from '../bench/sim/trace.ts';
import { turn } from '../bench/sim/turn.ts';

/** What was decided, in order, and when: milliseconds since the start. */
export interface Play {
  readonly dispatched: { readonly id: number; readonly at: number }[];
  readonly swaps: { readonly load: string; readonly at: number }[];
}

/** All that happens at one instant of a trace, from outside of the router. */
export interface Instant {
  readonly at: number;
  readonly ended: readonly TraceRequest[];
  readonly hasSwapEnded: boolean;
  readonly arrived: readonly TraceRequest[];
}

/** Plays a trace in the simulator; gives what it decided, and what happened around it. */
export function playInSimulator(trace: Trace): { play: Play; instants: readonly Instant[] } {
  const play: Play = { dispatched: [], swaps: [] };
  const times = new Set<number>();
  const watched: CreatePolicy = (given) => {
    const policy = turn(given);
    return {
      name: policy.name,
      observe(event, now) {
        if (event.kind === 'forwarded') play.dispatched.push({ id: event.id, at: now });
        if (event.kind === 'swapBegan') play.swaps.push({ load: event.load, at: now });
        policy.observe?.(event, now);
      },
      decide(view) {
        times.add(view.now);
        return policy.decide(view);
      },
    };
  };
  const { records } = simulate(trace, watched);
  const swapEnds = new Set(play.swaps.map(({ load, at }) => at + loadMsOf(trace, load)));
  const instants = [...times].map((at) => ({
    at,
    ended: records.filter(({ endedAt }) => endedAt === at).map(({ request }) => request),
    hasSwapEnded: swapEnds.has(at),
    arrived: records.filter(({ arrivedAt }) => arrivedAt === at).map(({ request }) => request),
  }));
  return { play, instants };
}

function loadMsOf(trace: Trace, load: string): number {
  return trace.models.find(({ model }) => model === load)?.loadMs ?? 0;
}
