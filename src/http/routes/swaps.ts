import type { RequestHandler } from 'express';
import { msBetween } from '../../core/duration.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { FollowedSwap } from '../../core/swapTurns.ts';
import { causeBody, isoOf } from './format.ts';
import { limitOf, listing } from './listing.ts';

/** GET /swaps: the newest swaps, newest first. */
export function swaps(read: () => Snapshot): RequestHandler {
  return listing(['limit'], (parameters) => {
    const newest = read().ledger.swaps.newest(limitOf(parameters));
    return { count: newest.length, swaps: newest.map(swapBody) };
  });
}

function swapBody(swap: FollowedSwap): object {
  return {
    id: swap.id,
    ts: isoOf(swap.endedAt),
    from: swap.from,
    to: swap.to,
    cause: causeBody(swap.cause),
    outcome: swap.outcome,
    script_ms: Math.max(0, swap.scriptMs),
    ready_ms: swap.readyMs === null ? null : Math.max(0, swap.readyMs),
    total_ms: msBetween(swap.startedAt, swap.endedAt),
    waited: swap.waited,
    prompt_tokens_after: swap.promptTokensAfter,
    error: swap.error,
  };
}
