import { JsonScanner, type ScanState } from '../json/jsonScanner.ts';
import type { JsonSink } from '../json/jsonSink.ts';
import { ANSWER, type AnswerField, type Figure, isFigure, type Remark } from './answerPlaces.ts';
import { isCount, isSpeed, sumOf, type Usage, usageFrom } from './usage.ts';

/** What an answer has told about itself. */
export interface AnswerFacts {
  /** Null where nothing was reported. */
  readonly usage: Usage | null;
  /** Whether the backend told of its own speed, were it one that cannot be. */
  readonly hasClock: boolean;
  /** Why generating stopped, in the backend's words. */
  readonly finishReasons: readonly string[];
  /** Whether the caller will be back with what a tool says. */
  readonly endsInCall: boolean;
  /** What went wrong, or null. */
  readonly error: string | null;
}

const SPEEDS: ReadonlySet<AnswerField> = new Set<AnswerField>([
  'prompt_per_second',
  'predicted_per_second',
  'tokens_per_second',
]);

/** Reported by who measures how long generating took. */
const CLOCKS: ReadonlySet<AnswerField> = new Set<AnswerField>([
  'predicted_per_second',
  'tokens_per_second',
  'eval_duration',
]);

/** llama.cpp's word while it goes on. */
const UNFINISHED = 'none';

const CALL_ENDINGS: ReadonlySet<string> = new Set(['tool_calls', 'function_call', 'tool_use']);

/** Of more choices than anybody asks for, and longer than any word for a reason. */
const MOST_REASONS = 16;
const LONGEST_REASON = 64;

/** Collects the facts of an answer over its documents: a whole body, or the events of a stream. */
export class AnswerReader implements JsonSink<AnswerField> {
  readonly #scanner = new JsonScanner(ANSWER, this);
  #figures = new Map<Figure, number>();
  /** Of the results before, where one answer has several. */
  #summed: Usage | null = null;
  #hasClock = false;
  readonly #finishReasons: string[] = [];
  #endsInCall = false;
  #error: string | null = null;
  #hasText = false;
  /** The document that passes says that it is about what went wrong, and what it says of that. */
  #isError = false;
  #message: string | null = null;

  /** How far the document is that passes. */
  get state(): ScanState {
    return this.#scanner.state;
  }

  /** Whether generated text has passed. */
  get hasText(): boolean {
    return this.#hasText;
  }

  facts(): AnswerFacts {
    return {
      usage: sumOf(this.#summed, usageFrom(this.#figures)),
      hasClock: this.#hasClock,
      finishReasons: [...this.#finishReasons],
      endsInCall: this.#endsInCall,
      error: this.#error,
    };
  }

  /** A document begins. */
  begin(): void {
    this.#scanner.reset();
    this.#isError = false;
    this.#message = null;
  }

  /** Reads of the document what stands before `to`; gives where it stopped. */
  push(bytes: Uint8Array, from: number, to: number): number {
    return this.#scanner.push(bytes, from, to);
  }

  /** The document is over; `isError`: it was one about what went wrong, whatever it says itself. */
  end(isError: boolean): void {
    if (isError || this.#isError) this.#noteError(this.#message);
  }

  onText(): void {
    this.#hasText = true;
  }

  onOpen(field: AnswerField): void {
    if (field === 'error') this.#noteError(null);
    if (field === 'call') this.#hasText = true;
    // vLLM says "stop" where the request named the tool, mlx-vlm said it always.
    if (field === 'call' || field === 'calling') this.#endsInCall = true;
    if (field === 'result') {
      this.#summed = this.facts().usage;
      this.#figures = new Map();
    }
  }

  onValue(field: AnswerField, value: number | string | boolean | null): void {
    if (CLOCKS.has(field)) this.#hasClock = true;
    if (isFigure(field)) this.#noteFigure(field, value);
    else if (typeof value === 'string') this.#noteRemark(field, value);
  }

  #noteRemark(field: Remark, value: string): void {
    switch (field) {
      case 'errorMark':
        this.#isError = true;
        return;
      case 'message':
        this.#message = value;
        return;
      case 'error':
      case 'errorText':
        if (value !== '') this.#noteError(value);
        return;
      case 'calling':
        this.#endsInCall = true;
        return;
      case 'status':
        if (value === 'failed') this.#noteError(null);
        this.#noteFinish(value);
        return;
      case 'finish':
        this.#endsInCall ||= CALL_ENDINGS.has(value);
        this.#noteFinish(value);
        return;
      case 'call':
      case 'generated':
      case 'result':
    }
  }

  #noteFigure(figure: Figure, value: unknown): void {
    if (typeof value !== 'number') return;
    if (SPEEDS.has(figure) ? isSpeed(value) : isCount(value)) this.#figures.set(figure, value);
  }

  #noteFinish(reason: string): void {
    if (reason === UNFINISHED || reason.length > LONGEST_REASON) return;
    if (this.#finishReasons.length < MOST_REASONS) this.#finishReasons.push(reason);
  }

  #noteError(text: string | null): void {
    this.#error = text ?? this.#error ?? 'the answer says that something went wrong';
  }
}
