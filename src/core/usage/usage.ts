import type { Figure } from './answerPlaces.ts';

/** Token counts and speeds that a backend reported about one answer. What it did not report is null. */
export interface Usage {
  /** Tokens of the prompt, cached ones included. */
  readonly inputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly outputTokens: number | null;
  /** Of the output tokens, those of reasoning. */
  readonly reasoningTokens: number | null;
  /** Tokens that a draft model proposed, and those of them that were taken. */
  readonly draftTokens: number | null;
  readonly draftAcceptedTokens: number | null;
  /** Speed of prompt processing and of generation, tokens per second, the backend's own figures. */
  readonly inputTokensPerSecond: number | null;
  readonly outputTokensPerSecond: number | null;
  /** Who measured the speed of generation; null when it is null. */
  readonly outputRateSource: 'backend' | 'observed' | null;
  /** How long the backend loaded the model for this answer, by its own account. */
  readonly loadMs: number | null;
}

/** The newest figures of an answer, each as it was last reported. */
export type Figures = ReadonlyMap<Figure, number>;

const NS_PER_MS = 1_000_000;
const NS_PER_SECOND = 1_000_000_000;

/** What the figures say; null when they say nothing. */
export function usageFrom(figures: Figures): Usage | null {
  const outputTokens = first(figures, [
    'predicted_n',
    'completion_tokens',
    'tokens_predicted',
    'output_tokens',
    'eval_count',
  ]);
  const outputRate = outputRateOf(figures, outputTokens);
  const loadNs = figures.get('load_duration');
  return orNull({
    inputTokens: inputTokensOf(figures),
    cachedTokens: first(figures, ['cache_n', 'cached_tokens', 'cache_read_input_tokens']),
    outputTokens,
    reasoningTokens: first(figures, ['reasoning_tokens']),
    draftTokens: first(figures, ['draft_n']),
    draftAcceptedTokens: first(figures, ['draft_n_accepted']),
    inputTokensPerSecond:
      figures.get('prompt_per_second') ??
      speedOver(figures.get('prompt_eval_count'), figures.get('prompt_eval_duration')),
    outputTokensPerSecond: outputRate,
    outputRateSource: outputRate === null ? null : 'backend',
    loadMs: loadNs === undefined ? null : Math.round(loadNs / NS_PER_MS),
  });
}

/** Whether it can be a number of tokens, or of nanoseconds. */
export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Whether it can be a speed. */
export function isSpeed(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}

/** Two results of one request taken together: counts are summed, a speed is not that of both. */
export function sumOf(a: Usage | null, b: Usage | null): Usage | null {
  if (a === null || b === null) return a ?? b;
  return orNull({
    inputTokens: added(a.inputTokens, b.inputTokens),
    cachedTokens: added(a.cachedTokens, b.cachedTokens),
    outputTokens: added(a.outputTokens, b.outputTokens),
    reasoningTokens: added(a.reasoningTokens, b.reasoningTokens),
    draftTokens: added(a.draftTokens, b.draftTokens),
    draftAcceptedTokens: added(a.draftAcceptedTokens, b.draftAcceptedTokens),
    inputTokensPerSecond: null,
    outputTokensPerSecond: null,
    outputRateSource: null,
    loadMs: added(a.loadMs, b.loadMs),
  });
}

/** llama.cpp's `prompt_n` leaves out what came from its cache, Anthropic's `input_tokens` what came from or went into one. */
function inputTokensOf(figures: Figures): number | null {
  const fresh = figures.get('prompt_n');
  const cached = figures.get('cache_n');
  if (fresh !== undefined && cached !== undefined) return fresh + cached;
  const whole = first(figures, ['prompt_tokens', 'tokens_evaluated', 'prompt_n']);
  if (whole !== null) return whole;
  const input = figures.get('input_tokens');
  if (input === undefined) return first(figures, ['prompt_eval_count']);
  const read = figures.get('cache_read_input_tokens') ?? 0;
  return input + read + (figures.get('cache_creation_input_tokens') ?? 0);
}

/** One token takes no time that could be measured: llama-server says 0. */
function outputRateOf(figures: Figures, outputTokens: number | null): number | null {
  if (outputTokens !== null && outputTokens < 2) return null;
  return (
    figures.get('predicted_per_second') ??
    figures.get('tokens_per_second') ??
    speedOver(figures.get('eval_count'), figures.get('eval_duration'))
  );
}

function speedOver(tokens: number | undefined, ns: number | undefined): number | null {
  if (tokens === undefined || ns === undefined) return null;
  const perSecond = (tokens * NS_PER_SECOND) / ns;
  return isSpeed(perSecond) ? perSecond : null;
}

function first(figures: Figures, names: readonly Figure[]): number | null {
  for (const name of names) {
    const figure = figures.get(name);
    if (figure !== undefined) return figure;
  }
  return null;
}

function added(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}

function orNull(usage: Usage): Usage | null {
  return Object.values(usage).every((figure) => figure === null) ? null : usage;
}
