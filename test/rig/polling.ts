import { setTimeout as delay } from 'node:timers/promises';

const DEADLINE_MS = 30_000;
const PAUSE_MS = 10;

/** Waits until the claim holds; rejects, naming what was waited for, when it does not in time. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  deadlineMs = DEADLINE_MS,
): Promise<void> {
  const giveUpAt = performance.now() + deadlineMs;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`waited in vain: ${what}`);
    await delay(PAUSE_MS);
  }
}

/** Waits until the URL answers 200. */
export async function untilHealthy(url: string): Promise<void> {
  await until(`${url} is healthy`, async () => (await askStatus(`${url}/health`)) === 200);
}

/** The status of a GET, or null when nobody answers within that time. */
export async function askStatus(url: string, timeoutMs = DEADLINE_MS): Promise<number | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}
