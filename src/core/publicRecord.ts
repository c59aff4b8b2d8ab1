import { msBetween } from './duration.ts';
import type { RequestRecord, SwapCause, SwapRecord } from './record.ts';
import { timesOf } from './requestTimes.ts';

/** A finished request under its published names; /usage and the log show it so. */
export function usageRecord(record: RequestRecord): Readonly<Record<string, unknown>> {
  const { usage } = record;
  const times = timesOf(record);
  return {
    ts: isoTime(record.endedAt),
    model: record.model,
    status: record.status,
    total_ms: times.totalMs,
    ttfb_ms: times.firstByteMs,
    prompt_tokens: usage?.inputTokens ?? null,
    gen_tokens: usage?.outputTokens ?? null,
    gen_tok_s: usage?.outputTokensPerSecond ?? null,
    prompt_tok_s: usage?.inputTokensPerSecond ?? null,
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
    cached_tokens: usage?.cachedTokens ?? null,
    reasoning_tokens: usage?.reasoningTokens ?? null,
    draft_tokens: usage?.draftTokens ?? null,
    draft_accepted_tokens: usage?.draftAcceptedTokens ?? null,
    load_ms: usage?.loadMs ?? null,
    gen_tok_s_source: usage?.outputRateSource ?? null,
    unmetered: record.unmetered,
    error: record.error,
  };
}

/** A finished swap under its published names, as far as they are known when it ends. */
export function swapEntry(record: SwapRecord): Readonly<Record<string, unknown>> {
  const { id, from, to, cause, outcome, scriptMs, readyMs, waited, error } = record;
  return {
    id,
    ts: isoTime(record.endedAt),
    from,
    to,
    cause: causeEntry(cause),
    outcome,
    script_ms: Math.max(0, scriptMs),
    ready_ms: readyMs === null ? null : Math.max(0, readyMs),
    total_ms: msBetween(record.startedAt, record.endedAt),
    waited,
    error,
  };
}

/** The cause of a swap under its published names. */
export function causeEntry({ requestId, caller, why }: SwapCause): object {
  return { request_id: requestId, caller, why };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
