/** In every shape the id stands near the beginning: of the object, or of a stream's first event. */
const HEAD_BYTES = 4096;

/** Not inside a string: there the quotes would be escaped. */
const ID = /(?<!\\)"id"\s*:\s*"([^"\\]+)"/;

/** Finds the id that an answer of OpenAI's shape, streamed or not, gives itself in its first 4 KiB. */
export class AnswerId {
  #text: string | null = '';

  /** Nothing more will be found. */
  get isOver(): boolean {
    return this.#text === null;
  }

  /** The id, once, when these bytes complete it; else null. */
  push(bytes: Uint8Array): string | null {
    if (this.#text === null) return null;
    const missing = HEAD_BYTES - this.#text.length;
    // One character a byte: ids are ASCII, and a cut letter elsewhere does no harm.
    this.#text += String.fromCharCode(...bytes.subarray(0, missing));
    const id = ID.exec(this.#text)?.[1] ?? null;
    if (id !== null || this.#text.length >= HEAD_BYTES) this.#text = null;
    // As it is matched it is a piece of the text, and would keep all of it in memory.
    return id === null ? null : Array.from(id).join('');
  }
}
