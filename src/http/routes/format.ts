/** A point in time as ISO 8601, or null. */
export function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** The mean to one decimal, or null of nothing. */
export function mean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sum = values.reduce((total, value) => total + value, 0);
  return Math.round((sum / values.length) * 10) / 10;
}
