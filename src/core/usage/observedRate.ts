/** Fewer tokens, or less time, make no speed. */
const LEAST_TOKENS = 8;
const LEAST_MS = 200;

/** Tokens per second between the first generated text and the last event, as seen from here; null when that says nothing. */
export function observedRate(
  outputTokens: number | null,
  firstTokenAt: number | null,
  lastEventAt: number | null,
): number | null {
  if (outputTokens === null || firstTokenAt === null || lastEventAt === null) return null;
  const ms = lastEventAt - firstTokenAt;
  if (outputTokens < LEAST_TOKENS || ms < LEAST_MS) return null;
  return ((outputTokens - 1) / ms) * 1000;
}
