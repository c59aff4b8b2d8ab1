/** Copies of the first and the last bytes of a body that passes: bounded, and no reference to a chunk is kept. */
export class ByteWindow {
  readonly #head: Uint8Array;
  readonly #tail: Uint8Array;
  #headLength = 0;
  #tailLength = 0;
  #tailNext = 0;

  constructor(headBytes: number, tailBytes: number) {
    this.#head = new Uint8Array(headBytes);
    this.#tail = new Uint8Array(tailBytes);
  }

  push(bytes: Uint8Array): void {
    const forHead = Math.min(bytes.length, this.#head.length - this.#headLength);
    if (forHead > 0) {
      this.#head.set(bytes.subarray(0, forHead), this.#headLength);
      this.#headLength += forHead;
    }
    this.#pushTail(bytes.subarray(forHead));
  }

  /** What was kept, as text: the head, and the tail that followed it (perhaps after a gap). */
  text(): { readonly head: string; readonly tail: string } {
    const decoder = new TextDecoder();
    const head = decoder.decode(this.#head.subarray(0, this.#headLength));
    const wrapped = this.#tailLength === this.#tail.length;
    const tail = wrapped
      ? decoder.decode(this.#tail.subarray(this.#tailNext), { stream: true }) +
        decoder.decode(this.#tail.subarray(0, this.#tailNext))
      : decoder.decode(this.#tail.subarray(0, this.#tailLength));
    return { head, tail };
  }

  #pushTail(bytes: Uint8Array): void {
    const size = this.#tail.length;
    const kept = bytes.length > size ? bytes.subarray(bytes.length - size) : bytes;
    const untilEnd = Math.min(kept.length, size - this.#tailNext);
    this.#tail.set(kept.subarray(0, untilEnd), this.#tailNext);
    this.#tail.set(kept.subarray(untilEnd), 0);
    this.#tailNext = (this.#tailNext + kept.length) % size;
    this.#tailLength = Math.min(size, this.#tailLength + kept.length);
  }
}
