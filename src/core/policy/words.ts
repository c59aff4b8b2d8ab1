/** A model's name as it stands in a sentence. */
export function quoted(model: string): string {
  return `"${model}"`;
}

/** A length of time as a person says it: `0.4 s`, `12 s`, `3 min`. */
export function spoken(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return `${Math.round(seconds / 60)} min`;
}
