import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

const TAIL_BYTES = 64 * 1024;
const LINES_SHOWN = 10;
const CHARACTERS_SHOWN = 1000;

/** The last 64 KiB of what a program writes to its stdout or stderr. */
export class OutputTail {
  readonly #stream: Readable;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#stream = stream;
    stream.on('error', ignore);
    stream.on('data', this.#keep);
  }

  /** Everything kept, as UTF-8. */
  get text(): string {
    return this.#bytes.toString();
  }

  /** From now on what comes is thrown away, and waiting for it does not keep the process alive. */
  release(): void {
    this.#stream.off('data', this.#keep);
    // A background server may hold the other end for days: unread it would block, closed it would get SIGPIPE.
    this.#stream.resume();
    if (this.#stream instanceof Socket) this.#stream.unref();
  }

  readonly #keep = (chunk: Buffer): void => {
    this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(-TAIL_BYTES);
  };
}

/** The last ten lines of an output in one line of at most 1000 characters, without colours and control characters. */
export function takeLastLines(output: string): string {
  return stripVTControlCharacters(output)
    .split(/[\r\n]+/)
    .map((line) => line.replaceAll(/\p{Cc}+/gu, ' ').trim())
    .filter((line) => line !== '')
    .slice(-LINES_SHOWN)
    .join(' | ')
    .slice(-CHARACTERS_SHOWN);
}

function ignore(): void {}
