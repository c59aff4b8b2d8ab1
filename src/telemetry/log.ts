import type { WriteStream } from 'node:tty';
import type { Writable } from 'node:stream';
import type { Recorder, RequestRecord, SwapRecord } from '../core/record.ts';
import { JsonLines } from './jsonLines.ts';
import { LineWriter } from './lineWriter.ts';
import type { LogLines } from './logLines.ts';
import { ReadableLines } from './readableLines.ts';

/** Writes a line for each request and each swap that is over: for people on a terminal, else as JSON. No prompt, no query, no key. */
export class Log implements Recorder {
  readonly #lines: LogLines;
  readonly #writer: LineWriter;
  readonly #now: () => number;

  constructor(stream: Writable | WriteStream, now: () => number = Date.now) {
    const isTerminal = 'isTTY' in stream && stream.isTTY;
    const lines = isTerminal ? new ReadableLines(stream) : new JsonLines();
    this.#lines = lines;
    this.#now = now;
    this.#writer = new LineWriter(stream, (count) => {
      const missing = count === 1 ? '1 line is missing' : `${count} lines are missing`;
      return lines.note('warn', 'dropped', `${missing}: the log could not be written`, now());
    });
  }

  requestClosed(record: RequestRecord): void {
    this.#writer.write(this.#lines.request(record));
  }

  swapClosed(record: SwapRecord): void {
    this.#writer.write(this.#lines.swap(record));
  }

  unloadFailed(model: string, message: string, at: number): void {
    const text = `"${model}" could not be unloaded: ${message}`;
    this.#writer.write(this.#lines.note('error', 'unload', text, at));
  }

  /** It shows in requests and swaps. */
  healthSeen(): void {}

  /** Something that people should know, in words. */
  warn(message: string): void {
    this.#writer.write(this.#lines.note('warn', 'warning', message, this.#now()));
  }

  /** A mistake of Jano's own that was caught, with where it was made. */
  mistakeMade(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#writer.write(this.#lines.note('error', 'mistake', text, this.#now()));
  }

  /** Resolves once the last line is out; a reader that does not take it is not waited for. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }
}
