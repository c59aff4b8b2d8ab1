import type { ScanState } from '../json/jsonScanner.ts';

/** Takes the JSON documents of an answer, one after another, as their bytes pass. */
export interface Documents {
  /** How far the one is that passes. */
  readonly state: ScanState;
  begin(): void;
  /** Its bytes from `from` up to `to`; gives where it ended. */
  push(bytes: Uint8Array, from: number, to: number): number;
  /** It is over, whole or not; `isError`: it was one about what went wrong, whatever it says itself. */
  end(isError: boolean): void;
}

/** Finds the documents in an answer's bytes. */
export interface Framing {
  push(bytes: Uint8Array): void;
  /** No more bytes come. */
  end(): void;
}
