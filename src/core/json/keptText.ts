import { BACKSLASH } from './bytes.ts';
import { unescapedJson } from './jsonText.ts';

/** What is kept, in bytes. */
const LIMIT_BYTES = 512;

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
    if (byte === BACKSLASH) this.#hasEscapes = true;
    this.#length += 1;
  }

  /** Whether there was more than is kept. */
  get isCut(): boolean {
    return this.#length > LIMIT_BYTES;
  }

  /** As bytes of UTF-8, its escapes undone; to be used before the next push. */
  read(): Uint8Array {
    if (this.#hasEscapes) return new TextEncoder().encode(this.text());
    return this.#bytes.subarray(0, Math.min(this.#length, LIMIT_BYTES));
  }

  /** With the escapes of a JSON string undone. */
  text(): string {
    const bytes = this.#bytes.subarray(0, Math.min(this.#length, LIMIT_BYTES));
    // A cut may go through a letter, or an escape: what is left of it is left out.
    const text = new TextDecoder().decode(bytes, { stream: this.isCut });
    if (!this.#hasEscapes) return text;
    return unescapedJson(this.isCut ? text.replace(/\\(?:u[\da-f]{0,3})?$/i, '') : text);
  }
}
