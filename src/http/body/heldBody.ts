import type { BodyMemory } from './bodyMemory.ts';

/** A chunk of fewer bytes costs more memory than it holds. */
const SMALL_BYTES = 256;
const MOST_SMALL = 256;

/** A request's body while it is held in memory, as it came. */
export class HeldBody {
  readonly #memory: BodyMemory;
  /** In order; the last to come is the last. */
  #chunks: Buffer[] = [];
  /** How many of the last chunks are small. */
  #smallOnes = 0;
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

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    this.#heldBytes += chunk.length;
    this.#memory.take(chunk.length);
    this.#smallOnes = chunk.length < SMALL_BYTES ? this.#smallOnes + 1 : 0;
    if (this.#smallOnes < MOST_SMALL) return;
    this.#chunks.push(Buffer.concat(this.#chunks.splice(-MOST_SMALL)));
    this.#smallOnes = 0;
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
    this.#give(this.#heldBytes);
  }

  #give(bytes: number): void {
    this.#heldBytes -= bytes;
    this.#memory.give(bytes);
  }
}
