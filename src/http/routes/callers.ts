import type { RequestHandler } from 'express';
import type { CallerTotals } from '../../core/callers.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { isoOf } from './format.ts';
import { listing } from './listing.ts';

/** GET /usage/callers: who asks, the last to be seen first. */
export function callers(read: () => Snapshot): RequestHandler {
  return listing([], () => {
    const { all } = read().ledger.callers;
    return { count: all.length, callers: all.map(callerBody) };
  });
}

function callerBody(totals: CallerTotals): object {
  return {
    caller: totals.caller,
    requests: totals.requests,
    served: totals.served,
    failed: totals.failed,
    prompt_tokens: totals.tokens.input,
    gen_tokens: totals.tokens.output,
    generation_ms: totals.generationMs,
    queue_ms: totals.queueMs,
    swaps_caused: totals.swapsCaused,
    last_seen: isoOf(totals.lastSeenAt),
  };
}
