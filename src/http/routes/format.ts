import type { SwapCause } from '../../core/record.ts';

/** A point in time as ISO 8601, or null. */
export function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** To one decimal, or null. */
export function oneDecimal(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}

/** The cause of a swap in public names. */
export function causeBody({ requestId, caller, why }: SwapCause): object {
  return { request_id: requestId, caller, why };
}
