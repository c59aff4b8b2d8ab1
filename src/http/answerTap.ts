import type { IncomingHttpHeaders } from 'node:http';
import type { Unmetered } from '../core/record.ts';
import { Tap, type TapReading } from '../core/usage/tap.ts';
import { areDecodable, codingsOf, Decoding } from './decoding.ts';

/** What of a coded answer may wait to be decoded: the caller gets it at full speed, whatever that costs us. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;

/** How much a coded answer may become: a few bytes can stand for gigabytes. */
const MOST_DECODED_BYTES = 256 * 1024 * 1024;

/** How long a record waits for the rest of its answer to be decoded. */
const MOST_BEHIND_MS = 2000;

/** Shows an answer to the tap as it passes; of a coded one, a decoded copy, which may lag behind. */
export class AnswerTap {
  #tap: Tap | null = null;
  #decoding: Decoding | null = null;
  #trouble: Unmetered | null = null;
  #pushedAt = 0;
  #decodedBytes = 0;

  /** The head of the answer is there. Before it the tap holds nothing. */
  begin(headers: IncomingHttpHeaders): void {
    this.#tap = new Tap(headers['content-type']);
    const codings = codingsOf(headers['content-encoding']);
    if (codings.length === 0) return;
    if (!areDecodable(codings)) return this.#giveUp('compressed');
    this.#decoding = new Decoding(codings, {
      onData: (chunk) => this.#show(chunk),
      onError: () => this.#giveUp('compressed'),
    });
  }

  push(chunk: Uint8Array, at: number): void {
    if (this.#decoding === null) {
      if (this.#trouble === null) this.#tap?.push(chunk, at);
      return;
    }
    this.#pushedAt = at;
    this.#decoding.push(chunk);
    if (this.#decoding.waitingBytes > MOST_WAITING_BYTES) this.#giveUp('too_large');
  }

  /** What it tells so far. */
  read(): TapReading {
    const reading = (this.#tap ?? new Tap()).read();
    if (this.#trouble === null || reading.usage !== null) return reading;
    return { ...reading, unmetered: this.#trouble };
  }

  /** No more comes, be it whole or not. Null when all has been read, else a promise of that, which takes two seconds at most. */
  end(): Promise<void> | null {
    if (this.#decoding !== null) return this.#finish(this.#decoding);
    this.#tap?.end();
    return null;
  }

  async #finish(decoding: Decoding): Promise<void> {
    const late = setTimeout(() => this.#giveUp('too_large'), MOST_BEHIND_MS);
    await decoding.end();
    clearTimeout(late);
    decoding.destroy();
    this.#tap?.end();
  }

  #show(chunk: Uint8Array): void {
    this.#decodedBytes += chunk.length;
    if (this.#decodedBytes > MOST_DECODED_BYTES) return this.#giveUp('too_large');
    this.#tap?.push(chunk, this.#pushedAt);
  }

  #giveUp(trouble: Unmetered): void {
    this.#trouble ??= trouble;
    this.#decoding?.destroy();
  }
}
