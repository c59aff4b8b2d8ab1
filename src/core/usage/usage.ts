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

type Json = Readonly<Record<string, unknown>>;

/** Reads llama.cpp's `timings` and OpenAI's `usage`; null when neither says anything. */
export function usageFrom(answer: { timings: unknown; usage: unknown }): Usage | null {
  const timings = object(answer.timings);
  const usage = object(answer.usage);
  const details = object(usage['prompt_tokens_details']);
  const outputTokens = count(timings['predicted_n']) ?? count(usage['completion_tokens']);
  // One token takes no time that could be measured: llama-server says 0.
  const outputRate = (outputTokens ?? 0) < 2 ? null : rate(timings['predicted_per_second']);
  const read: Usage = {
    inputTokens: inputTokensOf(timings) ?? count(usage['prompt_tokens']),
    cachedTokens: count(timings['cache_n']) ?? count(details['cached_tokens']),
    outputTokens,
    reasoningTokens: null,
    draftTokens: null,
    draftAcceptedTokens: null,
    inputTokensPerSecond: rate(timings['prompt_per_second']),
    outputTokensPerSecond: outputRate,
    outputRateSource: outputRate === null ? null : 'backend',
    loadMs: null,
  };
  return Object.values(read).every((field) => field === null) ? null : read;
}

/** llama.cpp's `prompt_n` leaves out what came from the cache. */
function inputTokensOf(timings: Json): number | null {
  const fresh = count(timings['prompt_n']);
  return fresh === null ? null : fresh + (count(timings['cache_n']) ?? 0);
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function rate(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null;
}

function object(value: unknown): Json {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}
