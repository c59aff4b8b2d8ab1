import type { ServerResponse } from 'node:http';
import type { Outcome, RequestRecord } from '../core/record.ts';
import { type Operation, operationOf } from '../core/operation.ts';
import type { TapReading } from '../core/usage/tap.ts';
import type { Exchange } from './exchange.ts';
import { withoutQuery } from './requestPath.ts';

/** Status that is recorded when the caller left before it had its answer. */
const CALLER_LEFT = 499;

/** The record of a request whose response has just closed. */
export function recordOf(
  exchange: Exchange,
  res: ServerResponse,
  reading: TapReading,
  endedAt: number,
): RequestRecord {
  const operation = operationOf(exchange.method, withoutQuery(exchange.backendPath));
  const error = tellsOfItself(exchange, operation, res.statusCode) ? reading.error : null;
  const outcome = outcomeOf(exchange, res, error);
  const status = outcome === 'abandoned' ? CALLER_LEFT : res.statusCode;
  const { turn } = exchange;
  const isMetered = operation !== null && status >= 200 && status < 300;
  return {
    id: exchange.id,
    traceId: exchange.traceId,
    model: turn?.backend.model ?? null,
    caller: exchange.caller,
    method: exchange.method,
    path: withoutQuery(exchange.path),
    operation,
    status,
    outcome,
    stream: exchange.isStream,
    arrivedAt: exchange.arrivedAt,
    dispatchedAt: turn?.dispatchedAt ?? null,
    firstByteAt: exchange.firstByteAt,
    firstTokenAt: reading.firstTokenAt,
    lastEventAt: reading.lastEventAt,
    endedAt,
    swapMs: turn?.swapMs ?? 0,
    swapIds: turn?.swapIds ?? [],
    overheadMs: isDispatched(turn) ? exchange.overhead.ms : null,
    usage: isStored(exchange.backendPath) ? null : reading.usage,
    unmetered: isMetered ? reading.unmetered : null,
    finishReasons: reading.finishReasons,
    error: exchange.failure?.message ?? error,
  };
}

function isDispatched(turn: Exchange['turn']): boolean {
  return turn !== null && turn.dispatchedAt !== null;
}

/** Any other answer may well have an error in it that is not its own, such as that of a job. */
function tellsOfItself(
  { isStream }: Exchange,
  operation: Operation | null,
  status: number,
): boolean {
  return operation !== null || isStream || status >= 400;
}

/** What was answered to another request, whose tokens have been counted then. */
function isStored(path: string): boolean {
  return /^\/(?:v1\/)?responses\//.test(path);
}

function outcomeOf(exchange: Exchange, res: ServerResponse, error: string | null): Outcome {
  if (exchange.failure?.outcome === 'cut') return 'cut';
  if (!res.writableFinished) return 'abandoned';
  if (exchange.failure !== null) return exchange.failure.outcome;
  if (res.statusCode >= 500) return 'failed';
  if (res.statusCode >= 400) return 'refused';
  return error === null ? 'served' : 'failed';
}
