import type { BodyMemory } from './bodyMemory.ts';

/** A chunk of fewer bytes costs more memory than it holds. */
const SMALL_BYTES = 256;
const MOST_SMALL = 256;

/** A request's body while it is held in memory, as it came. */
export class HeldBody {
  readonly #memory: BodyMemory;
  /** In order; none is small, but perhaps the last. */
  #chunks: Buffer[] = [];
  /** Came last, and is still to be put together. */
  #loose: Buffer[] = [];
  #length = 0;
  #heldBytes = 0;

  constructor(memory: BodyMemory) {
    this.#memory = memory;
  }

  /** All that has come, in bytes, also what is let go already. */
  get length(): number {
    return this.#length;
  }

  hasRoomFor(bytes: number): boolean {
    return this.#memory.hasRoomFor(bytes, this.#heldBytes);
  }

  /** Takes in what came next; gives what is to be held as it is from now on: whoever keeps that, too, keeps no small chunks. */
  push(chunk: Buffer): Buffer[] {
    this.#loose.push(chunk);
    this.#length += chunk.length;
    this.#heldBytes += chunk.length;
    this.#memory.take(chunk.length);
    const isSmall = chunk.length < SMALL_BYTES && this.#loose.length < MOST_SMALL;
    return isSmall ? [] : this.settle();
  }

  /** To be called once all has come: gives the rest, which may be small. */
  settle(): Buffer[] {
    const loose = this.#loose;
    this.#loose = [];
    const settled = loose.length > 1 ? [Buffer.concat(loose)] : loose;
    this.#chunks.push(...settled);
    return settled;
  }

  /** The chunks in order; each is let go as it is taken. */
  *drain(): Generator<Buffer> {
    this.#chunks.reverse();
    for (let chunk = this.#chunks.pop(); chunk !== undefined; chunk = this.#chunks.pop()) {
      this.#give(chunk.length);
      yield chunk;
    }
  }

  /** Lets go of all that is held. */
  drop(): void {
    this.#chunks = [];
    this.#loose = [];
    this.#give(this.#heldBytes);
  }

  #give(bytes: number): void {
    this.#heldBytes -= bytes;
    this.#memory.give(bytes);
  }
}
