import * as Bytes from '../bytes.ts';
import { Names } from './names.ts';

/** Where a string ends that is open at `from`: behind its quote, or -1 when that is not before `to`. */
export function stringEnd(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; ;) {
    const quote = bytes.indexOf(Bytes.QUOTE, at);
    if (quote === -1 || quote >= to) return -1;
    if (!endsEscaping(bytes, at, quote)) return quote + 1;
    at = quote + 1;
  }
}

/** Whether what stands at `to` is escaped by the backslash before it; at `from` nothing is. */
export function endsEscaping(bytes: Uint8Array, from: number, to: number): boolean {
  let count = 0;
  while (to - count > from && bytes[to - count - 1] === Bytes.BACKSLASH) count += 1;
  return count % 2 === 1;
}

/** What the inside of a JSON string stands for; as it is where it is no such string. */
export function unescapedJson(text: string): string {
  try {
    const value: unknown = JSON.parse(`"${text}"`);
    return String(value);
  } catch {
    return text;
  }
}

/** The quote that ends a string which is open at `from`, or -1 when it is not before `to`, or there are escapes before it. */
export function plainStringEnd(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    if (bytes[at] === Bytes.QUOTE) return at;
    if (bytes[at] === Bytes.BACKSLASH) return -1;
  }
  return -1;
}

/** The number, boolean or null that the bytes are; undefined when they are none of them. */
export function readScalar(bytes: Uint8Array): number | boolean | null | undefined {
  const literal = LITERALS.find(bytes, 0, bytes.length);
  if (literal !== undefined) return literal.value;
  const text = String.fromCharCode(...bytes);
  return /^-?\d[\d.eE+-]*$/.test(text) ? Number(text) : undefined;
}

/** Whether a number or a literal can begin so. */
export function beginsScalar(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || SCALAR_BEGINNINGS.includes(byte);
}

/** In objects, as one of them is null. */
const LITERALS = new Names<{ readonly value: boolean | null }>({
  null: { value: null },
  true: { value: true },
  false: { value: false },
});

/** - t f n */
const SCALAR_BEGINNINGS: readonly number[] = [0x2d, 0x74, 0x66, 0x6e];
