import type { Backend } from '../core/backend.ts';
import type { JsonFields } from '../core/body/jsonFields.ts';
import type { Catalog } from '../core/catalog.ts';
import { malformedJson, modelNotFound, noModelNamed, type Problem } from './problem.ts';
import { queryValue, withoutQuery } from './requestPath.ts';

const UPSTREAM = '/upstream/';

/** Which backend a request is for, and the path it gets there; or why that cannot be told. */
export type Target =
  | { readonly kind: 'found'; readonly backend: Backend; readonly path: string }
  | { readonly kind: 'unknown'; readonly problem: Problem };

export interface TargetParts {
  readonly catalog: Catalog;
  /** The configured model for requests that name none, or null. */
  readonly defaultModel: string | null;
  /** The resident model used last, or null. */
  readonly currentModel: () => string | null;
}

export interface TargetRequest {
  readonly path: string;
  readonly modelHeader: string | undefined;
  readonly fields: JsonFields;
  readonly isMalformedJson: () => boolean;
}

/** Finds the model in the order of the manual: path, header, body, query; else the one for requests that name none. */
export function findTarget(parts: TargetParts, request: TargetRequest): Target {
  const { path } = request;
  const { catalog } = parts;
  if (path.startsWith(UPSTREAM)) return upstreamTarget(catalog, path);
  const named = nameIn(request);
  // Of a body that stops short: its model would be loaded only for the backend to refuse the request.
  if (named?.isInBody === true && !request.fields.isClosed) {
    return { kind: 'unknown', problem: malformedJson };
  }
  if (named !== undefined) {
    const { name } = named;
    const backend = catalog.find(name);
    if (backend !== undefined) return { kind: 'found', backend, path };
    return { kind: 'unknown', problem: modelNotFound(name, catalog.names) };
  }
  if (request.isMalformedJson()) return { kind: 'unknown', problem: malformedJson };
  const backend = unnamed(parts, path);
  if (backend !== undefined) return { kind: 'found', backend, path };
  return { kind: 'unknown', problem: noModelNamed(catalog.names) };
}

interface Named {
  readonly name: string;
  /** Nothing but the body says it. */
  readonly isInBody: boolean;
}

function nameIn({ path, modelHeader, fields }: TargetRequest): Named | undefined {
  // Older Ollama clients say `name`.
  const inBody = fields.get('model') || (path.startsWith('/api/') ? fields.get('name') : undefined);
  const inQuery = queryValue(path, 'model');
  const name = modelHeader || inBody || inQuery;
  return name === undefined ? undefined : { name, isInBody: !modelHeader && inQuery === undefined };
}

function upstreamTarget(catalog: Catalog, path: string): Target {
  const inside = withoutQuery(path).slice(UPSTREAM.length);
  const found = catalog.findByPath(inside);
  if (found === undefined) {
    return { kind: 'unknown', problem: modelNotFound(inside, catalog.names) };
  }
  const query = path.slice(withoutQuery(path).length);
  return { kind: 'found', backend: found.backend, path: found.rest + query };
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
