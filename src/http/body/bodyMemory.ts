/** Counts the bytes that all bodies hold together, from their first byte to their sending, against `queue.maxWaitingBytes`. */
export class BodyMemory {
  readonly limitBytes: number;
  #heldBytes = 0;

  /** 0 = no limit. */
  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Whether so many bytes more fit, for a body that holds `ownBytes`. One alone always does: `limits.body` is its limit. */
  hasRoomFor(bytes: number, ownBytes: number): boolean {
    const isAlone = this.#heldBytes === ownBytes;
    return (
      bytes === 0 || this.limitBytes === 0 || isAlone || this.#heldBytes + bytes <= this.limitBytes
    );
  }

  take(bytes: number): void {
    this.#heldBytes += bytes;
  }

  give(bytes: number): void {
    this.#heldBytes -= bytes;
  }
}
