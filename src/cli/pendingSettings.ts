import type { Config } from '../config/config.ts';

/** Settings that the config uses, that are checked, and that this version does not act on yet. */
export function listPendingSettings(config: Config): string[] {
  const { allowedHosts, queue, usage, traces, watch } = config;
  const used: readonly [name: string, isUsed: boolean][] = [
    ['allowedHosts', allowedHosts.length > 0],
    ['queue.keepAlive', queue.keepAliveMs !== null],
    ['usage.path', usage.path !== null],
    ['traces.url', traces.url !== null],
    ['watch', watch],
  ];
  return used.filter(([, isUsed]) => isUsed).map(([name]) => name);
}
