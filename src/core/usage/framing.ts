import * as Bytes from '../bytes.ts';
import type { Documents, Framing } from './documents.ts';
import { EventFraming } from './eventFraming.ts';
import { JsonFraming } from './jsonFraming.ts';

/** How an answer is cut into documents. */
export interface Cut {
  readonly framing: Framing;
  /** They come one by one while they are made. */
  readonly isStream: boolean;
  /** False: it is a guess, which only a document proves right. */
  readonly isCertain: boolean;
}

/** What the content type says; where it does not, what the first bytes look like. Null while they are space, undefined when they are nothing that is understood. */
export function cutOf(
  contentType: string,
  bytes: Uint8Array,
  documents: Documents,
): Cut | null | undefined {
  if (/event-stream/i.test(contentType)) return events(documents, true);
  if (/ndjson|jsonl/i.test(contentType)) {
    return { framing: new JsonFraming(documents, true), isStream: true, isCertain: true };
  }
  const first = bytes.find((byte) => byte > Bytes.SPACE);
  if (first === undefined) return null;
  if (first === Bytes.OPEN_BRACE || first === Bytes.OPEN_BRACKET) {
    return { framing: new JsonFraming(documents, false), isStream: false, isCertain: true };
  }
  return first === Bytes.COLON || isLetter(first) ? events(documents, false) : undefined;
}

function events(documents: Documents, isCertain: boolean): Cut {
  return { framing: new EventFraming(documents), isStream: true, isCertain };
}

function isLetter(byte: number): boolean {
  return byte >= 0x61 && byte <= 0x7a;
}
