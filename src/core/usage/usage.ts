/** Token counts and speeds that a backend reported about one answer. What it did not report is null. */
export interface Usage {
  /** Tokens of the prompt, cached ones included. */
  readonly inputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly outputTokens: number | null;
  /** Speed of prompt processing and of generation, tokens per second, the backend's own figures. */
  readonly inputTokensPerSecond: number | null;
  readonly outputTokensPerSecond: number | null;
}
