import type { RequestHandler } from 'express';
import type { Backend } from '../../core/backend.ts';
import type { Catalog } from '../../core/catalog.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { sendProblem } from '../errors.ts';
import { modelNotFound } from '../problem.ts';
import { withoutQuery } from '../requestPath.ts';

/** GET /v1/models and /models: OpenAI's list, from the config, whatever the backends do. */
export function modelList(catalog: Catalog, read: () => Snapshot): RequestHandler {
  return (_req, res) => {
    const snapshot = read();
    const data = catalog.backends.map((backend) => modelBody(backend, snapshot));
    res.json({ object: 'list', data });
  };
}

/** GET /v1/models/{id}: one of them, by name or alias; slashes in it may be escaped or not. */
export function modelById(catalog: Catalog, read: () => Snapshot): RequestHandler {
  return (req, res) => {
    const id = withoutQuery(req.originalUrl).replace(/^\/(?:v1\/)?models\//, '');
    const found = catalog.findByPath(id);
    if (found === undefined || found.rest !== '/') {
      return sendProblem(res, req.originalUrl, modelNotFound(id, catalog.names));
    }
    res.json(modelBody(found.backend, read()));
  };
}

function modelBody(backend: Backend, snapshot: Snapshot): object {
  return {
    id: backend.model,
    object: 'model',
    created: Math.floor(snapshot.startedAt / 1000),
    owned_by: 'jano',
    label: backend.label,
    aliases: backend.aliases,
    status: { value: statusOf(backend, snapshot) },
  };
}

function statusOf({ model }: Backend, { models }: Snapshot): 'loaded' | 'loading' | 'unloaded' {
  const presence = models.find((reading) => reading.model === model)?.presence;
  if (presence === 'resident') return 'loaded';
  return presence === 'loading' ? 'loading' : 'unloaded';
}
