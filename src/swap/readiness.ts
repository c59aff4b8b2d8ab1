import { setTimeout as pause } from 'node:timers/promises';
import type { Health } from './health.ts';

/** Asks every `pollMs` until the health check holds or `stop` fires; gives the last thing seen, or null. Rejects only as `ask` does. */
export async function waitForHealth(
  ask: (stop: AbortSignal) => Promise<Health>,
  pollMs: number,
  stop: AbortSignal,
): Promise<Health | null> {
  let last: Health | null = null;
  while (!stop.aborted) {
    const health = await ask(stop);
    if (health.isHealthy) return health;
    // A question cut off by the deadline says less than the one before it.
    if (!stop.aborted || last === null) last = health;
    await pause(pollMs, undefined, { signal: stop }).catch(ignore);
  }
  return last;
}

function ignore(): void {}
