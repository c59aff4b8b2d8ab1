import type { Attributes } from '@opentelemetry/api';
import { operationOf } from '../core/operation.ts';
import type { RequestRecord } from '../core/record.ts';
import { timesOf } from '../core/requestTimes.ts';

/** Why a span is an error. */
export interface Fault {
  /** One of few. */
  readonly type: string;
  /** In Jano's own words, or null. */
  readonly message: string | null;
}

/** Null where it is not known. */
type Known = Readonly<Record<string, string | number | boolean | string[] | null>>;

/** A path may be as long as a head; the spans that wait to be sent must not be. */
const LONGEST_PATH = 1000;

/** Such as `chat qwen`; without a model or an operation only what few requests can differ in. */
export function spanNameOf(record: RequestRecord): string {
  const { operation, model, method } = record;
  if (operation !== null && model !== null) return `${operation} ${model}`;
  const route = routeOf(record);
  return route === null ? method : `${method} ${route}`;
}

/** Names of the HTTP conventions 1.44 and the GenAI conventions 0.1.0; nothing of what was asked or answered. */
export function requestAttributes(record: RequestRecord): Attributes {
  const { queueMs, swapMs } = timesOf(record);
  return withoutNulls({
    'http.request.method': record.method,
    'http.route': routeOf(record),
    'http.response.status_code': record.status,
    'url.path': record.path.slice(0, LONGEST_PATH),
    'url.scheme': 'http',
    ...(record.operation !== null && generationAttributes(record)),
    'gen_ai.request.model': record.model,
    'jano.request.id': record.id,
    'jano.outcome': record.outcome,
    'jano.queue.wait': queueMs / 1000,
    'jano.swap.wait': swapMs / 1000,
  });
}

/** Of the span in which the backend is at work. */
export function upstreamAttributes({ method, status, outcome }: RequestRecord): Attributes {
  const isBackends = outcome === 'served' || outcome === 'refused';
  return withoutNulls({
    'http.request.method': method,
    'http.response.status_code': isBackends ? status : null,
  });
}

/** Null where the request went as it should, and where it is the caller's own fault. */
export function faultOf({ outcome, status, error, firstByteAt }: RequestRecord): Fault | null {
  switch (outcome) {
    case 'served':
    case 'refused':
      return null;
    case 'rejected':
      return status < 500 ? null : { type: `${status}`, message: error };
    case 'failed':
      // Once its answer has begun the words are the backend's, who may repeat the request in them.
      return {
        type: status < 500 ? outcome : `${status}`,
        message: firstByteAt === null ? error : null,
      };
    case 'cut':
    case 'abandoned':
      return { type: outcome, message: null };
  }
}

function generationAttributes(record: RequestRecord): Known {
  const { operation, stream, usage, finishReasons } = record;
  const { firstByteMs } = timesOf(record);
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.request.stream': stream,
    'gen_ai.response.finish_reasons': finishReasons.length === 0 ? null : [...finishReasons],
    'gen_ai.response.time_to_first_chunk':
      stream && firstByteMs !== null ? firstByteMs / 1000 : null,
    'gen_ai.usage.input_tokens': usage?.inputTokens ?? null,
    'gen_ai.usage.output_tokens': usage?.outputTokens ?? null,
    'gen_ai.usage.cache_read.input_tokens': usage?.cachedTokens ?? null,
    'gen_ai.usage.reasoning.output_tokens': usage?.reasoningTokens ?? null,
  };
}

/** The path, if it is one of those that backends are known by: any other may be made up. */
function routeOf({ method, path }: RequestRecord): string | null {
  return operationOf(method, path) === null ? null : path;
}

function withoutNulls(attributes: Known): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}
