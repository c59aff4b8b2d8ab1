import { setTimeout as pause } from 'node:timers/promises';
import type { Backend } from '../core/backend.ts';
import { askHealth, type Health } from './health.ts';

/** Asks every `pollMs` until the health check holds or `stop` fires; gives the last thing seen, or null. Never rejects. */
export async function waitForHealth(
  backend: Backend,
  pollMs: number,
  probeMs: number,
  stop: AbortSignal,
): Promise<Health | null> {
  let last: Health | null = null;
  while (!stop.aborted) {
    const health = await askHealth(backend, probeMs, stop);
    if (health.isHealthy) return health;
    // A question cut off by the deadline says less than the one before it.
    if (!stop.aborted || last === null) last = health;
    await pause(pollMs, undefined, { signal: stop }).catch(ignore);
  }
  return last;
}

function ignore(): void {}
