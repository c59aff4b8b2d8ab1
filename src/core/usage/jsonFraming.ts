import * as Bytes from '../bytes.ts';
import type { Documents, Framing } from './documents.ts';

/** JSON documents one after another, with or without space between; in NDJSON a line ends one in any case. */
export class JsonFraming implements Framing {
  readonly #documents: Documents;
  readonly #isLines: boolean;
  /** `lost`: what passes is no JSON. */
  #state: 'between' | 'inside' | 'lost' = 'between';

  constructor(documents: Documents, isLines: boolean) {
    this.#documents = documents;
    this.#isLines = isLines;
  }

  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      const feed = this.#isLines ? bytes.indexOf(Bytes.LINE_FEED, at) : -1;
      const to = feed === -1 ? bytes.length : feed;
      this.#read(bytes, at, to);
      if (feed === -1) return;
      this.end();
      at = feed + 1;
    }
  }

  end(): void {
    if (this.#state === 'inside') this.#documents.end(false);
    this.#state = 'between';
  }

  #read(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to && this.#state !== 'lost') {
      if (this.#state === 'between') {
        while (at < to && (bytes[at] ?? 0) <= Bytes.SPACE) at += 1;
        if (at === to) return;
        this.#documents.begin();
        this.#state = 'inside';
      }
      at = this.#documents.push(bytes, at, to);
      if (this.#documents.state === 'closed') this.#close('between');
      else if (this.#documents.state === 'broken') this.#close('lost');
    }
  }

  #close(state: 'between' | 'lost'): void {
    this.#documents.end(false);
    this.#state = state;
  }
}
