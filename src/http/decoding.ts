import type { Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';

/** What becomes of a body that is decoded. */
export interface DecodingEvents {
  readonly onData: (chunk: Buffer) => void;
  /** It is not coded as it says, or stops short. Comes at most once. */
  readonly onError: () => void;
}

/** The first bytes are there for the outermost coding. */
type OpenDecoder = (firstBytes?: Uint8Array) => Transform;

const DECODERS: ReadonlyMap<string, OpenDecoder> = new Map<string, OpenDecoder>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', (firstBytes) => (hasZlibHead(firstBytes) ? createInflate() : createInflateRaw())],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress()],
]);

/** Nobody needs more than one after another. */
const MOST_CODINGS = 2;

/** The codings of a Content-Encoding header, in the order in which they were applied. */
export function codingsOf(header: string | undefined): string[] {
  const names = (header ?? '').split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity').slice(0, MOST_CODINGS + 1);
}

/** Whether a body of these codings can be looked into. */
export function areDecodable(codings: readonly string[]): boolean {
  return codings.length <= MOST_CODINGS && codings.every((coding) => DECODERS.has(coding));
}

/** Decodes the copy of a body that passes, in the background: nobody waits for it. */
export class Decoding {
  readonly #codings: readonly string[];
  readonly #events: DecodingEvents;
  /** The outermost coding's first; made for the first bytes. */
  #decoders: readonly Transform[] = [];
  #isOver = false;

  constructor(codings: readonly string[], events: DecodingEvents) {
    this.#codings = codings;
    this.#events = events;
  }

  push(chunk: Uint8Array): void {
    if (this.#isOver || chunk.length === 0) return;
    if (this.#decoders.length === 0) this.#decoders = this.#open(chunk);
    const [first] = this.#decoders;
    if (first?.writable === true) first.write(chunk);
  }

  /** Resolves once all that was pushed is decoded, well or not. */
  async end(): Promise<void> {
    const [first] = this.#decoders;
    if (first?.writable === true) first.end();
    await Promise.all(this.#decoders.map((decoder) => settled(decoder)));
  }

  destroy(): void {
    this.#isOver = true;
    for (const decoder of this.#decoders) decoder.destroy();
  }

  /** Bytes that were pushed and are not decoded yet. */
  get waitingBytes(): number {
    return this.#decoders[0]?.writableLength ?? 0;
  }

  #open(firstBytes: Uint8Array): Transform[] {
    const { onData, onError } = this.#events;
    const decoders = this.#codings
      .toReversed()
      .flatMap((name, index) => DECODERS.get(name)?.(index === 0 ? firstBytes : undefined) ?? []);
    for (const [index, decoder] of decoders.entries()) {
      const next = decoders[index + 1];
      if (next !== undefined) decoder.pipe(next);
      decoder.on('error', () => {
        if (this.#isOver) return;
        this.destroy();
        onError();
      });
    }
    decoders.at(-1)?.on('data', onData);
    return decoders;
  }
}

/** What is called deflate should begin so (RFC 1950), and from some servers is bare (RFC 1951). */
function hasZlibHead(bytes?: Uint8Array): boolean {
  if (bytes === undefined) return true;
  const [method = 0, flags] = bytes;
  if ((method & 0x0f) !== 8 || method >> 4 > 7) return false;
  return flags === undefined || (method * 256 + flags) % 31 === 0;
}

/** Resolves when the stream is over, well or not. */
function settled(stream: Transform): Promise<void> {
  return finished(stream).catch(() => undefined);
}
