import { finished } from 'node:stream/promises';
import type { Transform } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { bodyTooLarge, type Problem, undecodableBody } from '../problem.ts';
import type { BodyReader } from './bodyReader.ts';

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/** Nobody needs more than one after another. */
const MOST_CODINGS = 2;

/** The codings of a Content-Encoding header, in the order in which they were applied. */
export function codingsOf(header: string | undefined): string[] {
  const names = (header ?? '').split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity').slice(0, MOST_CODINGS + 1);
}

/** Whether a body of this coding can be looked into. */
export function isReadable(coding: string, _index: number, all: readonly string[]): boolean {
  return DECODERS.has(coding) && all.length <= MOST_CODINGS;
}

/** Has another reader look at a decoded copy of the body, which is never held as a whole. */
export class DecodedReader implements BodyReader {
  readonly #reader: BodyReader;
  readonly #decoders: readonly Transform[];
  readonly #ended: Promise<unknown>;
  #problem: Problem | null = null;
  #isEmpty = true;

  constructor(reader: BodyReader, codings: readonly string[], limitBytes: number) {
    this.#reader = reader;
    this.#decoders = codings.toReversed().flatMap((name) => DECODERS.get(name)?.() ?? []);
    let length = 0;
    this.#last?.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limitBytes) return this.#reader.push(chunk);
      this.#problem ??= bodyTooLarge(limitBytes);
      this.drop();
    });
    for (const [index, decoder] of this.#decoders.entries()) {
      const next = this.#decoders[index + 1];
      if (next !== undefined) decoder.pipe(next);
      decoder.on('error', () => {
        this.#problem ??= undecodableBody(codings.join(', '));
        this.drop();
      });
    }
    this.#ended = Promise.all(this.#decoders.map((decoder) => settled(decoder)));
  }

  push(chunk: Buffer): void {
    this.#isEmpty = false;
    const [first] = this.#decoders;
    if (first?.writable === true) first.write(chunk);
  }

  async finish(): Promise<void> {
    const [first] = this.#decoders;
    if (first?.writable === true) first.end();
    await this.#ended;
    await this.#reader.finish();
  }

  get(field: string): string | undefined {
    return this.#reader.get(field);
  }

  value(): unknown {
    return this.#reader.value();
  }

  problem(): Problem | null {
    if (this.#isEmpty) return null;
    return this.#problem ?? this.#reader.problem();
  }

  drop(): void {
    for (const decoder of this.#decoders) decoder.destroy();
    this.#reader.drop();
  }

  get #last(): Transform | undefined {
    return this.#decoders.at(-1);
  }
}

/** Resolves when the stream is over, well or not. */
function settled(stream: Transform): Promise<void> {
  return finished(stream).catch(() => undefined);
}
