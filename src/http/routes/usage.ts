import type { RequestHandler } from 'express';
import type { Catalog } from '../../core/catalog.ts';
import type { RequestRecord } from '../../core/record.ts';
import { timesOf } from '../../core/requestTimes.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import { modelNotFound } from '../problem.ts';
import { isoOf } from './format.ts';
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
    return { count: records.length, records: records.map(recordBody) };
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

/** Under published names; the first nine are those of the first program. */
function recordBody(record: RequestRecord): object {
  const times = timesOf(record);
  const { usage: reported } = record;
  return {
    ts: isoOf(record.endedAt),
    model: record.model,
    status: record.status,
    total_ms: times.totalMs,
    ttfb_ms: times.firstByteMs,
    prompt_tokens: reported?.inputTokens ?? null,
    gen_tokens: reported?.outputTokens ?? null,
    gen_tok_s: reported?.outputTokensPerSecond ?? null,
    prompt_tok_s: reported?.inputTokensPerSecond ?? null,
    id: record.id,
    trace_id: record.traceId,
    caller: record.caller,
    method: record.method,
    path: record.path,
    stream: record.stream,
    outcome: record.outcome,
    queue_ms: times.queueMs,
    swap_ms: times.swapMs,
    ttft_ms: times.firstTokenMs,
    generation_ms: times.generationMs,
    cached_tokens: reported?.cachedTokens ?? null,
    reasoning_tokens: reported?.reasoningTokens ?? null,
    draft_tokens: reported?.draftTokens ?? null,
    draft_accepted_tokens: reported?.draftAcceptedTokens ?? null,
    load_ms: reported?.loadMs ?? null,
    gen_tok_s_source: reported?.outputRateSource ?? null,
    unmetered: record.unmetered,
    error: record.error,
  };
}
