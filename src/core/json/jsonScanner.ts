import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './bytes.ts';
import { type Container, placeIn } from './container.ts';
import type { JsonSink } from './jsonSink.ts';
import type { JsonPlace } from './jsonPlace.ts';
import { beginsScalar, endsEscaping, readScalar, stringEnd } from './jsonText.ts';
import { KeptText } from './keptText.ts';

/** `before` and `inside` a document; `broken`: it is none, or not JSON. */
export type ScanState = 'before' | 'inside' | 'closed' | 'broken';

const SPACE = 0x20;

/**
 * Reads a JSON object or array as its bytes pass and tells of the values at places that are wanted. It
 * keeps the wanted containers around it and the beginning of one value, never the document; what nobody
 * wants is skipped, at most counted.
 */
export class JsonScanner<Field> {
  readonly #root: JsonPlace<Field>;
  readonly #sink: JsonSink<Field>;
  readonly #path: Container<Field>[] = [];
  /** How many containers deep it is in one that nobody wants. */
  #skippedDepth = 0;
  #mode: 'structure' | 'skipped' | 'skippedString' | 'text' | 'string' | 'scalar' = 'structure';
  #isEscaped = false;
  /** Where the value that passes stands. */
  #place: JsonPlace<Field> | undefined;
  readonly #kept = new KeptText();
  #state: ScanState = 'before';

  constructor(root: JsonPlace<Field>, sink: JsonSink<Field>) {
    this.#root = root;
    this.#sink = sink;
  }

  get state(): ScanState {
    return this.#state;
  }

  /** What comes next is another document. */
  reset(): void {
    this.#path.length = 0;
    this.#skippedDepth = 0;
    this.#mode = 'structure';
    this.#isEscaped = false;
    this.#state = 'before';
  }

  /** Reads bytes from `from` up to `to`, or up to the end of the document; gives where it stopped. */
  push(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && (this.#state === 'inside' || this.#state === 'before')) {
      at = this.#step(bytes, at, to);
    }
    return at;
  }

  #step(bytes: Uint8Array, at: number, to: number): number {
    switch (this.#mode) {
      case 'structure':
        return this.#structure(bytes[at] ?? 0, at);
      case 'skipped':
        return this.#skip(bytes, at, to);
      case 'skippedString':
        return this.#skipString(bytes, at, to);
      case 'text':
        return this.#text(bytes[at] ?? 0, at);
      case 'string':
        return this.#string(bytes, at, to);
      case 'scalar':
        return this.#scalar(bytes, at, to);
    }
  }

  #structure(byte: number, at: number): number {
    switch (byte) {
      case COMMA:
        this.#nextMember();
        break;
      case QUOTE:
        this.#openString();
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        this.#open(byte === OPEN_BRACE);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        this.#close(byte === CLOSE_BRACE);
        break;
      default:
        if (byte > SPACE && byte !== COLON) return this.#openScalar(byte, at);
    }
    return at + 1;
  }

  #open(isObject: boolean): void {
    const around = this.#path.at(-1);
    const place = around === undefined ? this.#root : placeIn(around);
    this.#state = 'inside';
    if (place?.field !== undefined) this.#sink.onOpen(place.field);
    if (place === undefined || (isObject ? place.members : place.elements) === undefined) {
      this.#skippedDepth = 1;
      this.#mode = 'skipped';
      return;
    }
    this.#path.push({ isObject, place, expectsKey: isObject, member: undefined });
  }

  #close(isObject: boolean): void {
    const closed = this.#path.pop();
    if (closed?.isObject !== isObject) this.#state = 'broken';
    else if (this.#path.length === 0) this.#state = 'closed';
  }

  #nextMember(): void {
    const around = this.#path.at(-1);
    if (around === undefined) {
      this.#state = 'broken';
      return;
    }
    around.expectsKey = around.isObject;
    around.member = undefined;
  }

  #openString(): void {
    const around = this.#path.at(-1);
    if (around === undefined) {
      this.#state = 'broken';
      return;
    }
    this.#place = around.expectsKey ? undefined : placeIn(around);
    this.#kept.clear();
    if (around.expectsKey) this.#mode = 'string';
    else if (this.#place?.field === undefined) this.#mode = 'skippedString';
    else this.#mode = this.#place.isText ? 'text' : 'string';
  }

  /** The first byte of a string of which nothing but its being there is wanted. */
  #text(byte: number, at: number): number {
    if (byte !== QUOTE && this.#place?.field !== undefined) this.#sink.onText(this.#place.field);
    this.#mode = 'skippedString';
    return at;
  }

  /** A key, or a value that is wanted. */
  #string(bytes: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to; at++) {
      const byte = bytes[at] ?? 0;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) {
        this.#isEscaped = true;
      } else if (byte === QUOTE) {
        this.#closeString();
        return at + 1;
      }
      this.#kept.push(byte);
    }
    return to;
  }

  #closeString(): void {
    this.#mode = 'structure';
    const around = this.#path.at(-1);
    if (around?.expectsKey === true) {
      around.expectsKey = false;
      // A longer one is none that anybody wants.
      around.member = this.#kept.isCut ? undefined : around.place.members?.find(this.#kept.read());
    } else if (this.#place?.field !== undefined) {
      this.#sink.onValue(this.#place.field, this.#kept.text());
    }
  }

  #openScalar(byte: number, at: number): number {
    const around = this.#path.at(-1);
    // As in "[DONE]".
    if (
      around === undefined ||
      (this.#path.length === 1 && !around.isObject && !beginsScalar(byte))
    ) {
      this.#state = 'broken';
      return at;
    }
    this.#place = placeIn(around);
    this.#kept.clear();
    this.#mode = 'scalar';
    return at;
  }

  #scalar(bytes: Uint8Array, from: number, to: number): number {
    const isWanted = this.#place?.field !== undefined;
    for (let at = from; at < to; at++) {
      const byte = bytes[at] ?? 0;
      if (byte <= SPACE || byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        this.#mode = 'structure';
        if (isWanted) this.#closeScalar();
        return at;
      }
      if (!isWanted) continue;
      this.#kept.push(byte);
    }
    return to;
  }

  #closeScalar(): void {
    const read = this.#kept.isCut ? undefined : readScalar(this.#kept.text());
    if (this.#place?.field === undefined || read === undefined) return;
    this.#sink.onValue(this.#place.field, read);
  }

  /** Runs through a container that nobody wants. */
  #skip(bytes: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to; at++) {
      // Most bytes are of numbers, commas and space.
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) {
        this.#mode = 'skippedString';
        return at + 1;
      }
      if (byte < OPEN_BRACKET) continue;
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#skippedDepth += 1;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        this.#skippedDepth -= 1;
        if (this.#skippedDepth > 0) continue;
        this.#mode = 'structure';
        if (this.#path.length === 0) this.#state = 'closed';
        return at + 1;
      }
    }
    return to;
  }

  #skipString(bytes: Uint8Array, from: number, to: number): number {
    const begin = this.#isEscaped ? from + 1 : from;
    const end = stringEnd(bytes, begin, to);
    this.#isEscaped = end === -1 && endsEscaping(bytes, begin, to);
    if (end === -1) return to;
    this.#mode = this.#skippedDepth > 0 ? 'skipped' : 'structure';
    return end;
  }
}
