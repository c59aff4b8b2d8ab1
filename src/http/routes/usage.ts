import type { RequestHandler } from 'express';
import type { Catalog } from '../../core/catalog.ts';
import { usageRecord } from '../../core/publicRecord.ts';
import type { RequestRecord } from '../../core/record.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { modelNotFound } from '../problem.ts';
import { limitOf, listing } from './listing.ts';
import { ParameterError, type Parameters } from './parameters.ts';

const KNOWN = ['limit', 'model', 'caller', 'since', 'before'];

/** GET /usage: the newest records of requests, newest first. */
export function usage(catalog: Catalog, read: () => Snapshot): RequestHandler {
  return listing(KNOWN, (parameters) => {
    const limit = limitOf(parameters);
    const isWanted = filterOf(parameters, catalog);
    const before = parameters.whole('before', 1, Number.MAX_SAFE_INTEGER);
    const older = olderThan(before, read().ledger.requests.newest());
    const records = older.filter(isWanted).slice(0, limit);
    return { count: records.length, records: records.map(usageRecord) };
  });
}

/** In the order of their ends, which is not that of their ids; what fell off has nothing behind it. */
function olderThan(
  id: number | null,
  newestFirst: readonly RequestRecord[],
): readonly RequestRecord[] {
  if (id === null) return newestFirst;
  const at = newestFirst.findIndex((record) => record.id === id);
  return at === -1 ? [] : newestFirst.slice(at + 1);
}

function filterOf(parameters: Parameters, catalog: Catalog): (record: RequestRecord) => boolean {
  const model = modelOf(parameters.text('model'), catalog);
  const caller = parameters.text('caller');
  const since = parameters.time('since');
  return (record) =>
    (model === null || record.model === model) &&
    (caller === null || record.caller === caller) &&
    (since === null || record.endedAt >= since);
}

function modelOf(name: string | null, catalog: Catalog): string | null {
  if (name === null) return null;
  const backend = catalog.find(name);
  if (backend !== undefined) return backend.model;
  throw new ParameterError(modelNotFound(name, catalog.names).message);
}
