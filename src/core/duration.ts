/** Milliseconds from one point in time to another; 0 where a clock that was set back would make it less. */
export function msBetween(from: number, to: number): number {
  return Math.max(0, to - from);
}

/** The same, or null where one of the two is not known. */
export function msIfKnown(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : msBetween(from, to);
}
