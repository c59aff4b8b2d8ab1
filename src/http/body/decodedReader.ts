import { Decoding } from '../decoding.ts';
import { bodyTooLarge, type Problem, undecodableBody } from '../problem.ts';
import type { BodyReader } from './bodyReader.ts';

/** Has another reader look at a decoded copy of the body, which is never held as a whole. */
export class DecodedReader implements BodyReader {
  readonly #reader: BodyReader;
  readonly #decoding: Decoding;
  #problem: Problem | null = null;
  #isEmpty = true;

  constructor(reader: BodyReader, codings: readonly string[], limitBytes: number) {
    this.#reader = reader;
    let length = 0;
    this.#decoding = new Decoding(codings, {
      onData: (chunk) => {
        length += chunk.length;
        if (length <= limitBytes) return this.#reader.push(chunk);
        this.#giveUp(bodyTooLarge(limitBytes));
      },
      onError: () => this.#giveUp(undecodableBody(codings.join(', '))),
    });
  }

  push(chunk: Buffer): void {
    this.#isEmpty = false;
    this.#decoding.push(chunk);
  }

  async finish(): Promise<void> {
    await this.#decoding.end();
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
    this.#decoding.destroy();
    this.#reader.drop();
  }

  #giveUp(problem: Problem): void {
    this.#problem ??= problem;
    this.drop();
  }
}
