import * as Bytes from '../bytes.ts';
import { unescapedJson } from './jsonText.ts';

/** What is kept, in bytes. */
const LIMIT_BYTES = 512;

/** What is left of an escape at the end; two backslashes are a whole one. */
const CUT_ESCAPE = /(?<=(?:^|[^\\])(?:\\\\)*)\\(?:u[\da-f]{0,3})?$/i;

/** The beginning of a key or value as it passes. */
export class KeptText {
  readonly #bytes = new Uint8Array(LIMIT_BYTES);
  #length = 0;
  #hasEscapes = false;

  clear(): void {
    this.#length = 0;
    this.#hasEscapes = false;
  }

  push(byte: number): void {
    if (this.#length < LIMIT_BYTES) this.#bytes[this.#length] = byte;
    if (byte === Bytes.BACKSLASH) this.#hasEscapes = true;
    this.#length += 1;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Whether there was more than is kept. */
  get isCut(): boolean {
    return this.#length > LIMIT_BYTES;
  }

  /** As bytes of UTF-8, its escapes undone; to be used before the next push. */
  read(): Uint8Array {
    const bytes = this.#bytes.subarray(0, Math.min(this.#length, LIMIT_BYTES));
    if (!this.#hasEscapes) return bytes;
    const text = textOf(bytes, 0, bytes.length, this.isCut);
    // A cut may go through an escape: what is left of it is left out.
    const whole = this.isCut ? text.replace(CUT_ESCAPE, '') : text;
    return new TextEncoder().encode(unescapedJson(whole));
  }
}

/** The beginning of what stands there, as text. */
export function beginningOf(bytes: Uint8Array, from: number, to: number): string {
  return textOf(bytes, from, Math.min(to, from + LIMIT_BYTES), to - from > LIMIT_BYTES);
}

/** Where it is cut that may go through a letter: what is left of it is left out. */
function textOf(bytes: Uint8Array, from: number, to: number, isCut: boolean): string {
  return new TextDecoder().decode(bytes.subarray(from, to), { stream: isCut });
}
