import type { Writable } from 'node:stream';

/** What is kept for a reader that is slow, such as a paused pager or a stuck log collector. */
const MOST_KEPT_BYTES = 1024 * 1024;

/** How long such a reader is waited for at the end. */
const LAST_LINES_MS = 1000;

/** Writes lines to a stream that may be slow, full or closed: never throws, never waits, keeps little. */
export class LineWriter {
  readonly #stream: Writable;
  readonly #tellDropped: (count: number) => string;
  #dropped = 0;

  /** `tellDropped` words the line that stands for so many that are missing. */
  constructor(stream: Writable, tellDropped: (count: number) => string) {
    this.#stream = stream;
    this.#tellDropped = tellDropped;
    // Without a listener a closed pipe would end the process. Each failed write tells us by itself.
    stream.on('error', () => undefined);
    stream.on('drain', () => this.#noteDropped());
  }

  /** The line, without its end; dropped when the reader is too far behind. */
  write(line: string): void {
    this.#noteDropped();
    if (this.#hasRoom) this.#send(line, 1);
    else this.#dropped += 1;
  }

  /** Resolves once all has been written, or the reader has not taken it within a second. */
  async flush(): Promise<void> {
    const { promise: written, resolve } = Promise.withResolvers<void>();
    const limit = setTimeout(resolve, LAST_LINES_MS);
    this.#noteDropped();
    this.#stream.write('', () => resolve());
    await written;
    clearTimeout(limit);
  }

  get #hasRoom(): boolean {
    return this.#stream.writableLength < MOST_KEPT_BYTES;
  }

  #noteDropped(): void {
    if (this.#dropped === 0 || !this.#hasRoom) return;
    const count = this.#dropped;
    this.#dropped = 0;
    this.#send(this.#tellDropped(count), count);
  }

  /** `stands` is how many lines are lost with it. */
  #send(line: string, stands: number): void {
    this.#stream.write(`${line}\n`, (error) => {
      if (error) this.#dropped += stands;
    });
  }
}
