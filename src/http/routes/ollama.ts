import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Backend } from '../../core/backend.ts';
import type { Catalog } from '../../core/catalog.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { isoOf } from './format.ts';

/** GET /api/tags: all models, in Ollama's shape. Sizes are null: a router does not see them. */
export function ollamaTags(catalog: Catalog, read: () => Snapshot): RequestHandler {
  return (_req, res) => {
    const { startedAt } = read();
    const modified = { modified_at: isoOf(startedAt) };
    res.json({ models: catalog.backends.map((backend) => ({ ...entry(backend), ...modified })) });
  };
}

/** GET /api/ps: the resident models, in Ollama's shape. */
export function ollamaProcesses(catalog: Catalog, read: () => Snapshot): RequestHandler {
  return (_req, res) => {
    const { models } = read();
    const resident = models.filter(({ presence }) => presence === 'resident');
    res.json({
      models: resident.flatMap(({ model, usedAt }) => {
        const backend = catalog.find(model);
        if (backend === undefined) return [];
        const expiresAt = backend.ttlMs === 0 || backend.pinned ? null : usedAt + backend.ttlMs;
        return [{ ...entry(backend), expires_at: isoOf(expiresAt), size_vram: null }];
      }),
    });
  };
}

/** GET /api/version. */
export function ollamaVersion(version: string): RequestHandler {
  return (_req, res) => void res.json({ version });
}

function entry({ model }: Backend): object {
  return {
    name: model,
    model,
    size: null,
    // Ollama's own program cuts it to twelve characters and fails on less. It tells names apart, not weights.
    digest: createHash('sha256').update(model).digest('hex'),
    details: {
      parent_model: '',
      format: '',
      family: '',
      families: null,
      parameter_size: '',
      quantization_level: '',
    },
  };
}
