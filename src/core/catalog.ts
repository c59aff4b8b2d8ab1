import type { Backend } from './backend.ts';
import { unescaped } from './unescaped.ts';

/** What a path under /upstream/ means: the backend and what is left for it. */
export interface UpstreamPath {
  readonly backend: Backend;
  /** Begins with a slash; escapes as they came. */
  readonly rest: string;
}

/** Answers "which backend serves this name?" Names match in any case; a trailing `:latest` is optional on both sides. */
export class Catalog {
  readonly backends: readonly Backend[];
  readonly #byName = new Map<string, Backend>();
  /** No name has more parts between slashes. */
  readonly #mostSegments: number;

  constructor(backends: readonly Backend[]) {
    this.backends = backends;
    for (const backend of backends) {
      for (const name of [backend.model, ...backend.aliases]) {
        this.#byName.set(normalized(name), backend);
      }
    }
    this.#mostSegments = Math.max(
      0,
      ...[...this.#byName.keys()].map((name) => name.split('/').length),
    );
  }

  /** The backend of that name or alias; undefined when none has it. */
  find(name: string): Backend | undefined {
    return this.#byName.get(normalized(name));
  }

  /** The longest name that the path (behind /upstream/, still escaped, without query) begins with; undefined when none does. */
  findByPath(path: string): UpstreamPath | undefined {
    const segments = path.split('/');
    // Tried with all of its segments, a path of 60 KB would hold up everybody for half a minute.
    const mostSegments = Math.min(segments.length, this.#mostSegments);
    for (let count = mostSegments; count > 0; count--) {
      const backend = this.find(unescaped(segments.slice(0, count).join('/')));
      if (backend !== undefined) return { backend, rest: `/${segments.slice(count).join('/')}` };
    }
    return undefined;
  }

  /** The first pinned backend that lists this route (without /v1/); undefined when none does. */
  findByRoute(route: string): Backend | undefined {
    return this.backends.find(({ pinned, endpoints }) => pinned && endpoints.includes(route));
  }

  /** Whether the backend's health tells it from the others on its URL. */
  isDistinct(backend: Backend): boolean {
    return this.backends.every(
      (other) =>
        other === backend ||
        other.url !== backend.url ||
        (backend.health.contains !== null &&
          (other.health.path !== backend.health.path ||
            other.health.contains !== backend.health.contains)),
    );
  }

  /** All configured names, for messages. */
  get names(): string {
    return this.backends.map(({ model }) => model).join(', ');
  }
}

function normalized(name: string): string {
  return name.toLowerCase().replace(/:latest$/, '');
}
