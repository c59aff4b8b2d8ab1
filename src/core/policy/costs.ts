import type { ModelState, PolicyState, ReplyKind, Waiting } from './state.ts';
import { modelState } from './state.ts';

/** What loading a model is expected to take: its own measured mean, else the mean of the measured ones, else the prior. */
export function expectedSwapMs(state: PolicyState, model: ModelState): number {
  if (model.swapMs !== null) return model.swapMs;
  let measured = 0;
  let sum = 0;
  for (const other of state.models.values()) {
    if (other.swapMs === null) continue;
    measured += 1;
    sum += other.swapMs;
  }
  return measured === 0 ? state.settings.priorSwapMs : sum / measured;
}

/**
 * How long `current` may keep its place while somebody waits for `other`: as many round trips of
 * swapping as keep the share of swapping in a saturated machine at `swapShare` (0.2: two of them).
 */
export function turnMs(state: PolicyState, current: ModelState, other: ModelState): number {
  const { swapShare, minTurnMs, maxTurnMs } = state.settings;
  const roundTrips = (1 / swapShare - 1) / 2;
  const roundTripMs = expectedSwapMs(state, current) + expectedSwapMs(state, other);
  return Math.min(maxTurnMs, Math.max(minTurnMs, roundTrips * roundTripMs));
}

/** When a request has waited so long that its model is next whatever the others cost: half a turn. */
export function overdueAt(state: PolicyState, request: Waiting): number {
  const model = modelState(state, request.model);
  return request.queuedAt + turnMs(state, model, model) / 2;
}

/**
 * How long an idle model is worth holding after a reply: the length that would have cost least on the
 * gaps seen last. A gap within it costs the idle time, a longer one costs the hold and a swap back.
 */
export function lingerMs(state: PolicyState, model: ModelState, after: ReplyKind): number {
  const { linger, toolLingerMs, lingerFactor, lingerSlackMs } = state.settings;
  const swapBackMs = expectedSwapMs(state, model);
  const longest = linger * swapBackMs;
  const gaps = model.gaps[after];
  if (gaps.length === 0) return after === 'toolCall' ? Math.min(longest, toolLingerMs) : 0;
  let best = 0;
  let leastCost = gaps.length * swapBackMs;
  for (const hold of gaps) {
    if (hold > longest) continue;
    let cost = 0;
    for (const gap of gaps) cost += gap <= hold ? gap : hold + swapBackMs;
    if (cost < leastCost) [best, leastCost] = [hold, cost];
  }
  return best === 0 ? 0 : Math.min(longest, best * lingerFactor + lingerSlackMs);
}
