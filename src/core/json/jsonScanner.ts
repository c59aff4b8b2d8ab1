import * as Bytes from '../bytes.ts';
import { type Container, placeIn } from './container.ts';
import type { JsonSink } from './jsonSink.ts';
import type { JsonPlace } from './jsonPlace.ts';
import { beginsScalar, endsEscaping, plainStringEnd, readScalar, stringEnd } from './jsonText.ts';
import { beginningOf, KeptText } from './keptText.ts';

/** `before` and `inside` a document; `broken`: it is none, or not JSON. */
export type ScanState = 'before' | 'inside' | 'closed' | 'broken';

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

  get #isReading(): boolean {
    return this.#state === 'inside' || this.#state === 'before';
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
    while (at < to && this.#isReading) at = this.#step(bytes, at, to);
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
      case Bytes.COMMA:
        this.#nextMember();
        break;
      case Bytes.QUOTE:
        this.#openString();
        break;
      case Bytes.OPEN_BRACE:
      case Bytes.OPEN_BRACKET:
        this.#open(byte === Bytes.OPEN_BRACE);
        break;
      case Bytes.CLOSE_BRACE:
      case Bytes.CLOSE_BRACKET:
        this.#close(byte === Bytes.CLOSE_BRACE);
        break;
      default:
        if (byte > Bytes.SPACE && byte !== Bytes.COLON) return this.#openScalar(byte, at);
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
    if (closed?.isObject !== isObject) this.#break();
    else if (this.#path.length === 0) this.#state = 'closed';
  }

  #nextMember(): void {
    const around = this.#path.at(-1);
    if (around === undefined) return this.#break();
    around.expectsKey = around.isObject;
    around.member = undefined;
  }

  #openString(): void {
    const around = this.#path.at(-1);
    if (around === undefined) return this.#break();
    this.#place = around.expectsKey ? undefined : placeIn(around);
    this.#kept.clear();
    if (around.expectsKey) this.#mode = 'string';
    else if (this.#place?.field === undefined) this.#mode = 'skippedString';
    else this.#mode = this.#place.isText ? 'text' : 'string';
  }

  #break(): void {
    this.#state = 'broken';
  }

  /** The first byte of a string of which nothing but its being there is wanted. */
  #text(byte: number, at: number): number {
    if (byte !== Bytes.QUOTE && this.#place?.field !== undefined)
      this.#sink.onText(this.#place.field);
    this.#mode = 'skippedString';
    return at;
  }

  /** A key, or a value that is wanted: mostly all of it is there, without escapes. */
  #string(bytes: Uint8Array, from: number, to: number): number {
    const end = this.#kept.isEmpty ? plainStringEnd(bytes, from, to) : -1;
    if (end !== -1) {
      this.#closeString(bytes, from, end);
      return end + 1;
    }
    for (let at = from; at < to; at++) {
      const byte = bytes[at] ?? 0;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === Bytes.BACKSLASH) this.#isEscaped = true;
      else if (byte === Bytes.QUOTE) {
        const kept = this.#kept.read();
        this.#closeString(kept, 0, kept.length);
        return at + 1;
      }
      this.#kept.push(byte);
    }
    return to;
  }

  #closeString(bytes: Uint8Array, from: number, to: number): void {
    this.#mode = 'structure';
    const around = this.#path.at(-1);
    if (around?.expectsKey === true) {
      around.expectsKey = false;
      around.member = around.place.members?.find(bytes, from, to);
      return;
    }
    const { field, words } = this.#place ?? {};
    if (field === undefined) return;
    const value = words === undefined ? beginningOf(bytes, from, to) : words.find(bytes, from, to);
    if (value !== undefined) this.#sink.onValue(field, value);
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
      if (
        byte <= Bytes.SPACE ||
        byte === Bytes.COMMA ||
        byte === Bytes.CLOSE_BRACE ||
        byte === Bytes.CLOSE_BRACKET
      ) {
        this.#mode = 'structure';
        if (isWanted) this.#closeScalar();
        return at;
      }
      if (isWanted) this.#kept.push(byte);
    }
    return to;
  }

  #closeScalar(): void {
    const field = this.#place?.field;
    const value = this.#kept.isCut ? undefined : readScalar(this.#kept.read());
    if (field !== undefined && value !== undefined) this.#sink.onValue(field, value);
  }

  /** Runs through a container that nobody wants. */
  #skip(bytes: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to; at++) {
      // Most bytes are of numbers, commas and space.
      const byte = bytes[at] ?? 0;
      if (byte === Bytes.QUOTE) {
        this.#mode = 'skippedString';
        return at + 1;
      }
      if (byte < Bytes.OPEN_BRACKET) continue;
      if (byte === Bytes.OPEN_BRACE || byte === Bytes.OPEN_BRACKET) this.#skippedDepth += 1;
      else if (byte === Bytes.CLOSE_BRACE || byte === Bytes.CLOSE_BRACKET) this.#skippedDepth -= 1;
      if (this.#skippedDepth > 0) continue;
      this.#mode = 'structure';
      if (this.#path.length === 0) this.#state = 'closed';
      return at + 1;
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
