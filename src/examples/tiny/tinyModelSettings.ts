/**
 * `chat`, `code`, `tool` and `think` recite a text: a run of made-up words, a line of code (with fill-in-the-middle
 * tokens), a call of the tool get_weather, a thought and then an answer. `embed` and `rerank` turn text into numbers.
 */
export type TinyModelKind = 'chat' | 'code' | 'tool' | 'think' | 'embed' | 'rerank';

/** What a tiny model is made of. The same settings make the same bytes, on every machine. */
export interface TinyModelSettings {
  readonly kind: TinyModelKind;
  /** What the model calls itself, also in its text; three letters or more. */
  readonly name: string;
  readonly seed: number;
  /** Length of the text behind its opening. */
  readonly words: number;
  /** A multiple of 32, at least 64; more makes the model bigger and slower. */
  readonly embeddingLength: number;
  readonly layers: number;
  readonly contextTokens: number;
}
