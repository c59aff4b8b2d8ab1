import type { RequestRecord, SwapRecord } from '../../src/core/record.ts';
import type { Usage } from '../../src/core/usage/usage.ts';

/** A served request for "qwen" of anna's, from 1000 to 5000; `more` says what is different. */
export function requestRecord(more: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id: 1,
    traceId: null,
    model: 'qwen',
    caller: 'anna',
    method: 'POST',
    path: '/v1/chat/completions',
    operation: 'chat',
    status: 200,
    outcome: 'served',
    stream: false,
    arrivedAt: 1000,
    dispatchedAt: 2000,
    firstByteAt: 2500,
    firstTokenAt: 3000,
    lastEventAt: 4500,
    endedAt: 5000,
    swapMs: 0,
    swapIds: [],
    overheadMs: 1,
    usage: null,
    unmetered: null,
    finishReasons: [],
    error: null,
    ...more,
  };
}

/** What a backend reported: nothing, but for what `more` says. */
export function usageOf(more: Partial<Usage>): Usage {
  return {
    inputTokens: null,
    cachedTokens: null,
    outputTokens: null,
    reasoningTokens: null,
    draftTokens: null,
    draftAcceptedTokens: null,
    inputTokensPerSecond: null,
    outputTokensPerSecond: null,
    outputRateSource: null,
    loadMs: null,
    ...more,
  };
}

/** A successful swap from "gemma" to "qwen" for anna, from 1000 to 3000; `more` says what is different. */
export function swapRecord(more: Partial<SwapRecord> = {}): SwapRecord {
  return {
    id: 1,
    traceId: null,
    from: ['gemma'],
    to: 'qwen',
    cause: { requestId: 1, caller: 'anna', why: 'it is next' },
    outcome: 'ok',
    startedAt: 1000,
    endedAt: 3000,
    scriptMs: 1500,
    readyMs: 500,
    waited: 1,
    error: null,
    ...more,
  };
}
