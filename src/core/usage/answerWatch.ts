import type { ScanState } from '../json/jsonScanner.ts';
import type { AnswerReader } from './answerReader.ts';
import type { Documents } from './documents.ts';

/** Hands an answer's documents to their reader, and notes when they pass and how they end. */
export class AnswerWatch implements Documents {
  readonly #reader: AnswerReader;
  #now = 0;
  #firstTextAt: number | null = null;
  #lastEndAt: number | null = null;
  #lastState: ScanState | null = null;

  constructor(reader: AnswerReader) {
    this.#reader = reader;
  }

  /** When the bytes came that are read next, epoch milliseconds. */
  set now(now: number) {
    this.#now = now;
  }

  get state(): ScanState {
    return this.#reader.state;
  }

  /** When the first generated text came, or null. */
  get firstTextAt(): number | null {
    return this.#firstTextAt;
  }

  /** When the last whole document ended, or null. */
  get lastEndAt(): number | null {
    return this.#lastEndAt;
  }

  /** How the newest document ended, or null before one has. */
  get lastState(): ScanState | null {
    return this.#lastState;
  }

  begin(): void {
    this.#reader.begin();
  }

  push(bytes: Uint8Array, from: number, to: number): number {
    const end = this.#reader.push(bytes, from, to);
    if (this.#reader.hasText) this.#firstTextAt ??= this.#now;
    return end;
  }

  end(isError: boolean): void {
    this.#reader.end(isError);
    this.#lastState = this.#reader.state;
    if (this.#lastState === 'closed') this.#lastEndAt = this.#now;
  }
}
