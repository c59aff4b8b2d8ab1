/** Node fires a timer at once when it is set for longer than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Runs `work` with a signal that fires after `limitMs`, or as soon as `outer` fires; settles as `work` does. */
export async function runWithin<T>(
  limitMs: number,
  outer: AbortSignal,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const fire = (): void => limit.abort();
  const timer = setTimeout(fire, Math.min(limitMs, LONGEST_TIMER_MS));
  outer.addEventListener('abort', fire);
  if (outer.aborted) fire();
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', fire);
  }
}
