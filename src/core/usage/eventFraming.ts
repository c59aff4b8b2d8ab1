import * as Bytes from '../bytes.ts';
import type { Documents, Framing } from './documents.ts';

/** data: */
const DATA = [0x64, 0x61, 0x74, 0x61, 0x3a];
const NEW_LINE = Uint8Array.of(Bytes.LINE_FEED);

/** Longer than the names of the fields that matter. */
const NAME_BYTES = 8;

/**
 * Server-sent events (WHATWG HTML 9.2.5), each of which is a document if it has data; an `error` field
 * is one, as llama.cpp sent them, and so is JSON that stands there without any field.
 */
export class EventFraming implements Framing {
  readonly #documents: Documents;
  #mode: 'line' | 'name' | 'colon' | 'value' | 'kind' | 'rest' | 'bare' = 'line';
  /** The event that passes has begun a document. */
  #isOpen = false;
  #isData = false;
  #name = '';
  /** What the event calls itself. */
  #kind = '';
  /** A line feed that belongs to the end of the line before. */
  #ignoresFeed = false;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  push(bytes: Uint8Array): void {
    const lines = new LineEnds(bytes);
    let at = 0;
    while (at < bytes.length) at = this.#step(bytes, at, lines);
  }

  end(): void {
    this.#close();
  }

  #step(bytes: Uint8Array, at: number, lines: LineEnds): number {
    const byte = bytes[at] ?? 0;
    switch (this.#mode) {
      case 'line':
        return this.#beginLine(bytes, at);
      case 'name':
        return this.#readName(byte, at);
      case 'colon':
        this.#beginValue();
        return byte === Bytes.SPACE ? at + 1 : at;
      case 'bare':
        return this.#readBare(bytes, at);
      case 'value':
      case 'kind':
      case 'rest': {
        const end = lines.next(at);
        if (this.#mode === 'value') this.#documents.push(bytes, at, end);
        else if (this.#mode === 'kind') this.#readKind(bytes, at, end);
        return end < bytes.length ? this.#endLine(bytes[end] ?? 0, end) : end;
      }
    }
  }

  #beginLine(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] ?? 0;
    const isFeed = byte === Bytes.LINE_FEED;
    if (isFeed && this.#ignoresFeed) {
      this.#ignoresFeed = false;
      return at + 1;
    }
    this.#ignoresFeed = false;
    if (isFeed || byte === Bytes.CARRIAGE_RETURN) {
      this.#close();
      this.#kind = '';
      return this.#endLine(byte, at);
    }
    if (byte === Bytes.OPEN_BRACE || byte === Bytes.OPEN_BRACKET) {
      this.#open(true);
      this.#mode = 'bare';
      return at;
    }
    this.#mode = 'name';
    this.#name = '';
    if (!beginsData(bytes, at)) return at;
    this.#mode = 'colon';
    this.#name = 'data';
    return at + DATA.length;
  }

  #readName(byte: number, at: number): number {
    if (byte === Bytes.LINE_FEED || byte === Bytes.CARRIAGE_RETURN) return this.#endLine(byte, at);
    if (byte === Bytes.COLON) this.#mode = 'colon';
    else if (this.#name.length < NAME_BYTES) this.#name += String.fromCharCode(byte);
    else this.#mode = 'rest';
    return at + 1;
  }

  /** Several lines of data make one document. */
  #beginValue(): void {
    const isData = this.#name === 'data';
    if (this.#name === 'event') {
      this.#mode = 'kind';
      this.#kind = '';
      return;
    }
    this.#mode = isData || this.#name === 'error' ? 'value' : 'rest';
    if (this.#mode !== 'value') return;
    if (this.#isOpen && isData && this.#isData) this.#documents.push(NEW_LINE, 0, 1);
    else this.#open(isData);
  }

  #readKind(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to && this.#kind.length <= NAME_BYTES; at++) {
      this.#kind += String.fromCharCode(bytes[at] ?? 0);
    }
  }

  #readBare(bytes: Uint8Array, at: number): number {
    const end = this.#documents.push(bytes, at, bytes.length);
    const { state } = this.#documents;
    if (state === 'closed' || state === 'broken') {
      this.#close();
      this.#mode = 'rest';
    }
    return end;
  }

  #endLine(byte: number, at: number): number {
    this.#ignoresFeed = byte === Bytes.CARRIAGE_RETURN;
    this.#mode = 'line';
    return at + 1;
  }

  #open(isData: boolean): void {
    this.#close();
    this.#documents.begin();
    this.#isOpen = true;
    this.#isData = isData;
  }

  #close(): void {
    // What an event is called may stand behind its data.
    if (this.#isOpen) this.#documents.end(!this.#isData || this.#kind === 'error');
    this.#isOpen = false;
  }
}

/** As almost all lines do that are not empty. */
function beginsData(bytes: Uint8Array, from: number): boolean {
  return DATA.every((byte, at) => bytes[from + at] === byte);
}

/** The ends of the lines in some bytes, asked for from front to back; each kind is looked for once. */
class LineEnds {
  readonly #bytes: Uint8Array;
  #feed = -1;
  #return = -1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Where the line ends that is open at `at`: at the end of the bytes if not before. */
  next(at: number): number {
    if (this.#feed < at) this.#feed = this.#find(Bytes.LINE_FEED, at);
    if (this.#return < at) this.#return = this.#find(Bytes.CARRIAGE_RETURN, at);
    return Math.min(this.#feed, this.#return);
  }

  #find(byte: number, from: number): number {
    const found = this.#bytes.indexOf(byte, from);
    return found === -1 ? this.#bytes.length : found;
  }
}
