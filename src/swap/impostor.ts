import type { Backend } from '../core/backend.ts';
import type { Catalog } from '../core/catalog.ts';
import { askBackend } from './answer.ts';
import { askHealth } from './health.ts';
import { runWithin } from './limit.ts';

const PATH = '/v1/models';

/**
 * Asks who it is that answers at the backend's URL: a script may return before the old server there is gone.
 * What speaks against the backend, for people, or null: only a list that names another model of the URL and
 * not this one does. Never rejects.
 */
export async function findImpostor(
  backend: Backend,
  catalog: Catalog,
  limitMs: number,
  stop: AbortSignal,
): Promise<string | null> {
  try {
    const { status, body } = await runWithin(limitMs, stop, (limit) =>
      askBackend(backend, PATH, limit),
    );
    const names = status === 200 ? readNames(JSON.parse(body)) : [];
    const named = names.flatMap((name) => catalog.find(name) ?? []);
    const other = named.find(({ url }) => url === backend.url);
    if (other === undefined || named.includes(backend)) return null;
    return `${backend.url} still answers as "${other.model}"`;
  } catch {
    // Whoever hangs up on a question may be going down.
    const health = await askHealth(backend, limitMs, stop);
    return health.isHealthy ? null : health.seen;
  }
}

/** The names in a list of models: `data[].id` of OpenAI's, `models[].name` and `.model` of llama-server's and Ollama's. */
function readNames(list: unknown): string[] {
  const names = [
    ...readField(list, 'data', 'id'),
    ...readField(list, 'models', 'name'),
    ...readField(list, 'models', 'model'),
  ];
  return names.filter((name) => typeof name === 'string');
}

function readField(list: unknown, key: string, field: string): unknown[] {
  const models = read(list, key);
  return Array.isArray(models) ? models.map((model) => read(model, field)) : [];
}

function read(object: unknown, key: string): unknown {
  return typeof object === 'object' && object !== null ? Reflect.get(object, key) : undefined;
}
