import { msBetween, msIfKnown } from './duration.ts';
import type { RequestRecord } from './record.ts';

/** How long each part of a request took, milliseconds; never negative, null where it did not come to that. */
export interface RequestTimes {
  /** From its arrival to its end. */
  readonly totalMs: number;
  /** From its arrival until it was sent to its backend, or until its end if it never was. */
  readonly queueMs: number;
  /** Of that, while its own model was being loaded. */
  readonly swapMs: number;
  /** From its sending to the first byte of the answer's body, and to the first generated text. */
  readonly firstByteMs: number | null;
  readonly firstTokenMs: number | null;
  /** From the first generated text to the last event with data. */
  readonly generationMs: number | null;
}

/** The times of a request that is over. */
export function timesOf(record: RequestRecord): RequestTimes {
  const { arrivedAt, dispatchedAt, firstTokenAt, endedAt } = record;
  const queueMs = msBetween(arrivedAt, dispatchedAt ?? endedAt);
  return {
    totalMs: msBetween(arrivedAt, endedAt),
    queueMs,
    swapMs: Math.min(queueMs, Math.max(0, record.swapMs)),
    firstByteMs: msIfKnown(dispatchedAt, record.firstByteAt),
    firstTokenMs: msIfKnown(dispatchedAt, firstTokenAt),
    generationMs: msIfKnown(firstTokenAt, record.lastEventAt),
  };
}
