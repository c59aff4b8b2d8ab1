import type { Backend } from '../core/backend.ts';
import type { Catalog } from '../core/catalog.ts';
import type { KnownIds } from '../core/knownIds.ts';
import type { BodyReader } from './body/bodyReader.ts';
import { idsOf } from './followUp.ts';
import { modelNotFound, noModelNamed, type Problem } from './problem.ts';
import { queryValue, withoutQuery } from './requestPath.ts';

const UPSTREAM = /^\/upstream(?:\/|(?=\?)|$)/;

/** Which backend a request is for, and the path it gets there; or why that cannot be told. */
export type Target =
  | { readonly kind: 'found'; readonly backend: Backend; readonly path: string }
  | { readonly kind: 'unknown'; readonly problem: Problem };

/** What there is to choose from, and what to choose where nothing is named. */
export interface TargetParts {
  readonly catalog: Catalog;
  /** Ids that models have made or were told. */
  readonly knownIds: KnownIds;
  /** The configured model for requests that name none, or null. */
  readonly defaultModel: string | null;
  /** The resident model used last, or null. */
  readonly currentModel: () => string | null;
}

/** What of a request can name its model. */
export interface TargetRequest {
  readonly path: string;
  readonly modelHeader: string | undefined;
  readonly conversation: string | undefined;
  /** All of the body has passed through it. */
  readonly body: BodyReader;
}

/** Finds the model in the order of the manual: path, header, body, query, an id seen before; else the one for requests that name none. */
export function findTarget(parts: TargetParts, request: TargetRequest): Target {
  const { path, body } = request;
  const { catalog } = parts;
  if (UPSTREAM.test(path)) return upstreamTarget(catalog, path);
  const elsewhere = request.modelHeader || queryValue(path, 'model');
  const name = request.modelHeader || nameIn(body, path) || elsewhere;
  const problem = elsewhere === undefined ? body.problem() : null;
  if (problem !== null) return { kind: 'unknown', problem };
  if (name !== undefined) {
    const backend = catalog.find(name);
    if (backend !== undefined) return { kind: 'found', backend, path };
    return { kind: 'unknown', problem: modelNotFound(name, catalog.names) };
  }
  const backend = byId(parts, request) ?? unnamed(parts, path);
  if (backend !== undefined) return { kind: 'found', backend, path };
  return { kind: 'unknown', problem: noModelNamed(catalog.names) };
}

/** Older Ollama clients say `name`. */
function nameIn(body: BodyReader, path: string): string | undefined {
  return body.get('model') || (path.startsWith('/api/') ? body.get('name') : undefined);
}

function upstreamTarget(catalog: Catalog, path: string): Target {
  const inside = withoutQuery(path).replace(UPSTREAM, '');
  const found = catalog.findByPath(inside);
  if (found === undefined) {
    return { kind: 'unknown', problem: modelNotFound(inside, catalog.names) };
  }
  const query = path.slice(withoutQuery(path).length);
  return { kind: 'found', backend: found.backend, path: found.rest + query };
}

function byId({ catalog, knownIds }: TargetParts, request: TargetRequest): Backend | undefined {
  for (const id of idsOf(request.path, request.conversation, request.body)) {
    const model = knownIds.modelOf(id);
    if (model !== undefined) return catalog.find(model);
  }
  return undefined;
}

function unnamed(parts: TargetParts, path: string): Backend | undefined {
  const { catalog, defaultModel, currentModel } = parts;
  const route = withoutQuery(path).replace(/^\/(?:v1\/)?/, '');
  const byRoute = catalog.findByRoute(route);
  if (byRoute !== undefined) return byRoute;
  const model = defaultModel ?? currentModel();
  if (model !== null) return catalog.find(model);
  return catalog.backends.length === 1 ? catalog.backends[0] : undefined;
}
