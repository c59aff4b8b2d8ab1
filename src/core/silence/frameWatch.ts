/** What a frame's length stands for that does not fit into seven bits. */
const TWO_MORE_BYTES = 126;
const EIGHT_MORE_BYTES = 127;

const LONGEST_HEADER = 14;

/**
 * Tells data from keepalives in one direction of a websocket, of which it sees the bytes pass in any
 * pieces. Pings go on for ever on a connection that nobody uses.
 */
export class FrameWatch {
  readonly #header = new DataView(new ArrayBuffer(LONGEST_HEADER));
  /** Bytes of the header that have come. */
  #have = 0;
  #payloadLeft = 0;
  #isControl = false;

  /** True if any of the bytes belong to a frame of data, which is one that is no ping, pong or close. */
  push(bytes: Uint8Array): boolean {
    let hasData = false;
    let at = 0;
    while (at < bytes.length) {
      if (this.#payloadLeft > 0) {
        const passing = Math.min(this.#payloadLeft, bytes.length - at);
        at += passing;
        this.#payloadLeft -= passing;
      } else {
        this.#header.setUint8(this.#have, bytes[at] ?? 0);
        at += 1;
        this.#have += 1;
        this.#isControl = (this.#header.getUint8(0) & 0x08) !== 0;
        if (this.#have >= 2 && this.#have === this.#headerLength()) this.#beginPayload();
      }
      hasData ||= !this.#isControl;
    }
    return hasData;
  }

  /** Whether a whole frame has just passed, so that another may be put in. */
  get isBetweenFrames(): boolean {
    return this.#have === 0 && this.#payloadLeft === 0;
  }

  get #shortLength(): number {
    return this.#header.getUint8(1) & 0x7f;
  }

  #headerLength(): number {
    const maskLength = (this.#header.getUint8(1) & 0x80) === 0 ? 0 : 4;
    if (this.#shortLength === TWO_MORE_BYTES) return 4 + maskLength;
    return (this.#shortLength === EIGHT_MORE_BYTES ? 10 : 2) + maskLength;
  }

  #beginPayload(): void {
    this.#have = 0;
    this.#payloadLeft = this.#shortLength;
    if (this.#shortLength === TWO_MORE_BYTES) this.#payloadLeft = this.#header.getUint16(2);
    if (this.#shortLength === EIGHT_MORE_BYTES) {
      this.#payloadLeft = Number(this.#header.getBigUint64(2));
    }
  }
}
