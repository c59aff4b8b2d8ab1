import type { Backend } from '../core/backend.ts';

/** The models that a script's `status` calls loaded, without the pinned; null when it says nothing about any model. */
export function readResidents(
  output: string,
  backends: readonly Backend[],
): ReadonlySet<string> | null {
  const byName = new Map<string, Backend>();
  for (const backend of backends) {
    for (const name of [backend.model, ...backend.aliases]) byName.set(toKey(name), backend);
  }
  const states = output.split('\n').flatMap((line) => readLine(line, byName) ?? []);
  if (states.length === 0) return null;
  return new Set(
    states
      .filter(({ backend, isLoaded }) => isLoaded && !backend.pinned)
      .map(({ backend }) => backend.model),
  );
}

/** The models whose health holds, without the pinned and those that others at the same URL could pass for. */
export async function askResidents(
  backends: readonly Backend[],
  isHealthy: (backend: Backend) => Promise<boolean>,
): Promise<ReadonlySet<string>> {
  const states = await Promise.all(
    backends.map(async (backend) => ({
      backend,
      isUp: backend.pinned || (await isHealthy(backend)),
    })),
  );
  const up = states.filter(({ isUp }) => isUp).map(({ backend }) => backend);
  return new Set(
    up
      .filter((backend) => !backend.pinned && !backends.some((other) => hides(other, backend, up)))
      .map(({ model }) => model),
  );
}

function readLine(
  line: string,
  byName: ReadonlyMap<string, Backend>,
): { backend: Backend; isLoaded: boolean } | undefined {
  // From the last colon on: names have colons too, as in `qwen:7b: loaded`.
  for (let colon = line.lastIndexOf(':'); colon > 0; colon = line.lastIndexOf(':', colon - 1)) {
    const backend = byName.get(toKey(line.slice(0, colon)));
    const state = line.slice(colon + 1).trim();
    if (backend !== undefined && state !== '') {
      return { backend, isLoaded: /^loaded\b/i.test(state) };
    }
  }
  return undefined;
}

/** Names are the same whatever their case, and with or without `:latest`. */
function toKey(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/:latest$/, '');
}

/** Whether `other` may be what makes the health check of `backend` hold. */
function hides(other: Backend, backend: Backend, up: readonly Backend[]): boolean {
  if (other === backend || other.url !== backend.url) return false;
  const text = backend.health.contains;
  if (text === null) return true;
  return (
    up.includes(other) &&
    other.health.path === backend.health.path &&
    other.health.contains !== null &&
    other.health.contains.includes(text)
  );
}
