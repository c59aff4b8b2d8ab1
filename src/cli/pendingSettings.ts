import type { Config } from '../config/config.ts';

/** What `limits.idleSocket` is when nobody sets it. */
const USUAL_IDLE_SOCKET_MS = 60_000;

/** Settings that the config uses, that are checked, and that this version does not act on yet. */
export function listPendingSettings(config: Config): string[] {
  const { allowedHosts, queue, limits, usage, health, traces, watch } = config;
  const used: readonly [name: string, isUsed: boolean][] = [
    ['allowedHosts', allowedHosts.length > 0],
    ['queue.keepAlive', queue.keepAliveMs !== null],
    ['limits.idleSocket', limits.idleSocketMs !== USUAL_IDLE_SOCKET_MS],
    ['usage.path', usage.path !== null],
    ['health.stuckAfter', health.stuckAfterMs !== null],
    ['traces.url', traces.url !== null],
    ['watch', watch],
  ];
  return used.filter(([, isUsed]) => isUsed).map(([name]) => name);
}
