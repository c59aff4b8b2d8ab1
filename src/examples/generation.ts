import { setTimeout as delay } from 'node:timers/promises';

/** How fast a model works, in tokens per second. */
export interface Pace {
  readonly inputTokensPerSecond: number;
  readonly outputTokensPerSecond: number;
}

/** What one request asks for. */
export interface GenerationOrder {
  readonly inputTokens: number;
  /** Most tokens to generate, 1 or more. */
  readonly outputTokensLimit: number;
  /** Start over at the end of the text. */
  readonly isEndless: boolean;
}

/** Counts and times of a generation in llama-server's fields, measured, with its definitions. */
export interface Timings {
  readonly cache_n: number;
  readonly prompt_n: number;
  readonly prompt_ms: number;
  readonly prompt_per_token_ms: number;
  readonly prompt_per_second: number;
  readonly predicted_n: number;
  readonly predicted_ms: number;
  readonly predicted_per_token_ms: number;
  readonly predicted_per_second: number;
}

const LONGEST_LAG_MS = 1000;

/** One recital of the model's text, word by word in real time. */
export class Generation {
  readonly order: GenerationOrder;
  readonly #words: readonly string[];
  readonly #pace: Pace;
  #startedAt = 0;
  #firstWordAt = 0;
  #lastWordAt = 0;
  #outputTokens = 0;

  constructor(order: GenerationOrder, words: readonly string[], pace: Pace) {
    this.order = order;
    this.#words = words;
    this.#pace = pace;
  }

  get outputTokens(): number {
    return this.#outputTokens;
  }

  /** Why it ended; null while it has not. */
  get finishReason(): 'stop' | 'length' | null {
    if (!this.order.isEndless && this.#outputTokens >= this.#words.length) return 'stop';
    return this.#outputTokens >= this.order.outputTokensLimit ? 'length' : null;
  }

  /** The words as they come, the first once the prompt is processed; ends early when the signal is aborted. */
  async *speak(signal: AbortSignal): AsyncGenerator<string, void> {
    const { inputTokensPerSecond, outputTokensPerSecond } = this.#pace;
    this.#startedAt = performance.now();
    let dueAt = this.#startedAt + (this.order.inputTokens / inputTokensPerSecond) * 1000;
    while (this.finishReason === null && (await waitUntil(dueAt, signal))) {
      this.#lastWordAt = performance.now();
      if (this.#outputTokens === 0) this.#firstWordAt = this.#lastWordAt;
      const word = this.#words[this.#outputTokens % this.#words.length] ?? '';
      this.#outputTokens += 1;
      // Small delays are made up for, but after the machine slept no flood of words follows.
      dueAt = Math.max(dueAt, this.#lastWordAt - LONGEST_LAG_MS) + 1000 / outputTokensPerSecond;
      yield word;
    }
  }

  /** What was really done up to now. The clock of the output starts at the first word: n words take n - 1 steps. */
  takeTimings(): Timings {
    const { inputTokens } = this.order;
    const steps = this.#outputTokens - 1;
    const inputMs = toMs(this.#firstWordAt - this.#startedAt);
    const outputMs = toMs(this.#lastWordAt - this.#firstWordAt);
    return {
      cache_n: 0,
      prompt_n: inputTokens,
      prompt_ms: inputMs,
      prompt_per_token_ms: inputTokens > 0 ? inputMs / inputTokens : 0,
      prompt_per_second: (inputTokens / inputMs) * 1000,
      predicted_n: this.#outputTokens,
      predicted_ms: outputMs,
      predicted_per_token_ms: steps > 0 ? outputMs / steps : 0,
      predicted_per_second: (steps / outputMs) * 1000,
    };
  }
}

/** Whole microseconds and never 0, as llama-server has it: one word took 0.001 ms, which makes 0 words per second. */
function toMs(ms: number): number {
  return Math.max(0.001, Math.round(ms * 1000) / 1000);
}

/** False when the signal was aborted before that time. */
async function waitUntil(at: number, signal: AbortSignal): Promise<boolean> {
  try {
    await delay(Math.max(0, at - performance.now()), undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return !signal.aborted;
}
