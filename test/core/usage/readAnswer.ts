import { Tap, type TapReading } from '../../../src/core/usage/tap.ts';

/** What the tap reads of a whole answer that comes in pieces of `step` bytes, all at one time. */
export function readAnswer(
  answer: string | Uint8Array,
  contentType: string,
  step = Number.POSITIVE_INFINITY,
): TapReading {
  const bytes = typeof answer === 'string' ? new TextEncoder().encode(answer) : answer;
  const tap = new Tap(contentType);
  for (let at = 0; at < bytes.length; at += step) {
    tap.push(bytes.subarray(at, Math.min(bytes.length, at + step)), 1000);
  }
  tap.end();
  return tap.read();
}
