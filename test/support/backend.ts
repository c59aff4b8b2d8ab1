import type { Backend } from '../../src/core/backend.ts';

/** A backend as the config would give it. */
export function backend(model: string, url: string, more: Partial<Backend> = {}): Backend {
  return {
    model,
    aliases: [],
    label: null,
    url,
    parallel: 1,
    memory: 1,
    pinned: false,
    health: { path: '/health', contains: null },
    ttlMs: 0,
    headers: {},
    endpoints: [],
    ...more,
  };
}
