import type { RequestHandler } from 'express';
import { swapEntry } from '../../core/publicRecord.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { FollowedSwap } from '../../core/swapTurns.ts';
import { limitOf, listing } from './listing.ts';

/** GET /swaps: the newest swaps, newest first. */
export function swaps(read: () => Snapshot): RequestHandler {
  return listing(['limit'], (parameters) => {
    const newest = read().ledger.swaps.newest(limitOf(parameters));
    return { count: newest.length, swaps: newest.map(swapBody) };
  });
}

function swapBody(swap: FollowedSwap): object {
  const { error, ...entry } = swapEntry(swap);
  return { ...entry, prompt_tokens_after: swap.promptTokensAfter, error };
}
