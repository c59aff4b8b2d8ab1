import type { Usage } from './usage/usage.ts';

/** Tokens since start; never less than before. */
export interface TokenTotals {
  /** Of prompts, cached ones included. */
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

/** No tokens yet. */
export const NO_TOKENS: TokenTotals = { input: 0, output: 0, cached: 0 };

/** What one answer adds: what it did not report, or what is no count, is 0. */
export function tokensOf(usage: Usage | null): TokenTotals {
  if (usage === null) return NO_TOKENS;
  const { inputTokens, outputTokens, cachedTokens } = usage;
  return {
    input: countOf(inputTokens),
    output: countOf(outputTokens),
    cached: countOf(cachedTokens),
  };
}

/** Both together. */
export function addTokens(a: TokenTotals, b: TokenTotals): TokenTotals {
  return { input: a.input + b.input, output: a.output + b.output, cached: a.cached + b.cached };
}

function countOf(value: number | null): number {
  return value !== null && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
