import * as Bytes from '../bytes.ts';

const COLON = 0x3a;

/** Tells data from keepalives in an event stream, whose bytes pass in any pieces: comments and empty lines say nothing. */
export class LineWatch {
  #isAtStart = true;
  #isComment = false;

  /** True if any of the bytes stand in a line that is no comment. */
  push(bytes: Uint8Array): boolean {
    let hasData = false;
    for (const byte of bytes) {
      if (byte === Bytes.LINE_FEED || byte === Bytes.CARRIAGE_RETURN) {
        this.#isAtStart = true;
        continue;
      }
      if (this.#isAtStart) this.#isComment = byte === COLON;
      this.#isAtStart = false;
      hasData ||= !this.#isComment;
    }
    return hasData;
  }
}
