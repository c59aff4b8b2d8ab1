import { ModelAccount, type ModelTotals } from '../core/modelTotals.ts';
import type { SwapOutcome } from '../core/record.ts';
import type { Snapshot } from '../core/snapshot.ts';
import { NO_TOKENS, type TokenTotals } from '../core/tokenTotals.ts';
import { METRICS } from './metrics.ts';
import { OTHER, type Reading, type Teller } from './reading.ts';

const SWAP_OUTCOMES: readonly SwapOutcome[] = ['ok', 'script_failed', 'timeout'];

/** Sums since start. What is told twice under the same labels is added up. */
export const counters: readonly Reading[] = [
  {
    metric: METRICS.requests,
    tell(now, value) {
      for (const [model, { requests }] of totalsOf(now)) {
        for (const [outcome, count] of Object.entries(requests)) value(count, { model, outcome });
      }
    },
  },
  {
    metric: METRICS.tokens,
    tell(now, value) {
      for (const { model, totals } of now.models) tellTokens(totals.tokens, { model }, value);
    },
  },
  {
    metric: METRICS.unmetered,
    tell(now, value) {
      for (const { model, totals } of now.models) {
        for (const [reason, count] of Object.entries(totals.unmetered)) {
          value(count, { model, reason });
        }
      }
    },
  },
  {
    metric: METRICS.swaps,
    tell(now, value) {
      for (const labels of possibleSwaps(now)) value(0, labels);
      for (const { count, from, to, outcome } of now.ledger.swapCounts) {
        value(count, { from, to, outcome });
      }
    },
  },
  {
    metric: METRICS.swapsArrivalOrder,
    tell: (now, value) => value(now.swapsArrivalOrder),
  },
  {
    metric: METRICS.callerRequests,
    tell(now, value) {
      value(0, { caller: OTHER });
      for (const { caller, requests } of now.ledger.callers.labelled) value(requests, { caller });
    },
  },
  {
    metric: METRICS.callerTokens,
    tell(now, value) {
      tellTokens(NO_TOKENS, { caller: OTHER }, value);
      for (const { caller, tokens } of now.ledger.callers.labelled) {
        tellTokens(tokens, { caller }, value);
      }
    },
  },
];

/** By model; those of requests of which none could be told are another's. */
function totalsOf({ models, ledger }: Snapshot): (readonly [string, ModelTotals])[] {
  return [
    ...models.map(({ model, totals }) => [model, totals] as const),
    [OTHER, ledger.totals.get(null) ?? new ModelAccount()],
  ];
}

function tellTokens(
  { input, output, cached }: TokenTotals,
  labels: { model: string } | { caller: string },
  value: Teller,
): void {
  value(input, { ...labels, type: 'input' });
  value(output, { ...labels, type: 'output' });
  value(cached, { ...labels, type: 'cached' });
}

/** Each kind there may ever be: a series that begins with its first swap would hide it from `rate()`. */
function possibleSwaps({ models }: Snapshot): { from: string; to: string; outcome: string }[] {
  const swappable = models.filter(({ pinned }) => !pinned).map(({ model }) => model);
  return swappable.flatMap((to) => {
    // From itself: it died and makes room for itself.
    const froms = ['none', ...swappable, ...(swappable.length > 2 ? ['several'] : [])];
    return froms.flatMap((from) => SWAP_OUTCOMES.map((outcome) => ({ from, to, outcome })));
  });
}
