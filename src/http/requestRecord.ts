import type { ServerResponse } from 'node:http';
import type { Outcome, RequestRecord } from '../core/record.ts';
import type { Usage } from '../core/usage/usage.ts';
import type { Exchange } from './exchange.ts';
import { withoutQuery } from './requestPath.ts';

/** Status that is recorded when the caller left before it had its answer. */
const CALLER_LEFT = 499;

/** The record of a request whose response has just closed. */
export function recordOf(
  exchange: Exchange,
  res: ServerResponse,
  usage: Usage | null,
  endedAt: number,
): RequestRecord {
  const outcome = outcomeOf(exchange, res);
  return {
    id: exchange.id,
    model: exchange.turn?.backend.model ?? null,
    caller: exchange.caller,
    method: exchange.method,
    path: withoutQuery(exchange.path),
    status: outcome === 'abandoned' ? CALLER_LEFT : res.statusCode,
    outcome,
    stream: exchange.isStream,
    arrivedAt: exchange.arrivedAt,
    dispatchedAt: exchange.turn?.dispatchedAt ?? null,
    firstByteAt: exchange.firstByteAt,
    endedAt,
    swapMs: exchange.turn?.swapMs ?? 0,
    usage,
    error: exchange.failure?.message ?? null,
  };
}

function outcomeOf(exchange: Exchange, res: ServerResponse): Outcome {
  if (exchange.failure?.outcome === 'cut') return 'cut';
  if (!res.writableFinished) return 'abandoned';
  if (exchange.failure !== null) return exchange.failure.outcome;
  if (res.statusCode >= 500) return 'failed';
  return res.statusCode >= 400 ? 'refused' : 'served';
}
