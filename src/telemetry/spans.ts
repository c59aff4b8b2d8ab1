import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Recorder, RequestRecord, SwapRecord } from '../core/record.ts';
import type { SwapUnderWay } from '../core/snapshot.ts';
import type { ArrivedRequest, Tracing } from '../core/tracing.ts';
import {
  type Fault,
  faultOf,
  requestAttributes,
  spanNameOf,
  upstreamAttributes,
} from './requestSpan.ts';

/** A span that is under way, with the context in which its children begin. */
interface Open {
  readonly span: Span;
  readonly context: Context;
}

/** Who waited for a swap may end long after it. */
const SWAPS_KEPT = 500;

/** Makes spans of requests and swaps, in the traces of their callers where these have one. */
export class Spans implements Tracing, Recorder {
  readonly #tracer: Tracer;
  readonly #propagator = new W3CTraceContextPropagator();
  readonly #requests = new Map<number, Open & { upstream: Span | null }>();
  readonly #openSwaps = new Map<number, Open>();
  readonly #swaps = new Map<number, SpanContext>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  requestArrived({ id, arrivedAt, ...headers }: ArrivedRequest): string | null {
    const parent = this.#propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const open = this.#begin('request', SpanKind.SERVER, arrivedAt, parent);
    // Not sampled: the caller's headers stay, so that what its backend tells still hangs together.
    if (!open.span.isRecording()) return null;
    this.#requests.set(id, { ...open, upstream: null });
    return open.span.spanContext().traceId;
  }

  requestForwarded(id: number, at: number): Readonly<Record<string, string>> {
    const open = this.#requests.get(id);
    if (open === undefined) return {};
    const upstream = this.#begin('upstream', SpanKind.CLIENT, at, open.context);
    open.upstream = upstream.span;
    const headers: Record<string, string> = {};
    this.#propagator.inject(upstream.context, headers, defaultTextMapSetter);
    return headers;
  }

  requestClosed(record: RequestRecord): void {
    const open = this.#requests.get(record.id);
    if (open === undefined) return;
    this.#requests.delete(record.id);
    const { span, context, upstream } = open;
    const { arrivedAt, dispatchedAt, endedAt } = record;
    const fault = faultOf(record);
    if (record.model !== null) this.#child('queue', context, arrivedAt, dispatchedAt ?? endedAt);
    if (upstream !== null) {
      upstream.setAttributes(upstreamAttributes(record));
      const refusal = { type: `${record.status}`, message: null };
      this.#end(upstream, endedAt, record.outcome === 'refused' ? refusal : fault);
    }
    for (const id of record.swapIds) {
      const swap = this.#swaps.get(id);
      if (swap !== undefined) span.addLink({ context: swap });
    }
    span.updateName(spanNameOf(record));
    span.setAttributes(requestAttributes(record));
    this.#end(span, endedAt, fault);
  }

  swapStarted({ id, from, to, cause, startedAt }: SwapUnderWay): string | null {
    const open = this.#begin(`swap ${to}`, SpanKind.INTERNAL, startedAt, ROOT_CONTEXT);
    open.span.setAttributes({
      'jano.swap.id': id,
      'jano.swap.from': [...from],
      'jano.swap.to': to,
      'jano.swap.cause': cause.why,
    });
    if (!open.span.isRecording()) return null;
    this.#openSwaps.set(id, open);
    this.#swaps.set(id, open.span.spanContext());
    for (const oldest of this.#swaps.keys()) {
      if (this.#swaps.size <= SWAPS_KEPT) break;
      this.#swaps.delete(oldest);
    }
    return open.span.spanContext().traceId;
  }

  swapClosed({ id, outcome, startedAt, endedAt, scriptMs, readyMs, error }: SwapRecord): void {
    const open = this.#openSwaps.get(id);
    if (open === undefined) return;
    this.#openSwaps.delete(id);
    const scriptEndedAt = startedAt + scriptMs;
    this.#child('script', open.context, startedAt, scriptEndedAt);
    if (readyMs !== null) {
      this.#child('ready', open.context, scriptEndedAt, scriptEndedAt + readyMs);
    }
    open.span.setAttribute('jano.swap.outcome', outcome);
    this.#end(open.span, endedAt, outcome === 'ok' ? null : { type: outcome, message: error });
  }

  unloadFailed(): void {
    // Of no request and no swap.
  }

  healthSeen(): void {
    // Of no request and no swap.
  }

  #begin(name: string, kind: SpanKind, at: number, parent: Context): Open {
    // As a Date: of a number the API makes a time since the process began.
    const span = this.#tracer.startSpan(name, { kind, startTime: new Date(at) }, parent);
    return { span, context: trace.setSpan(parent, span) };
  }

  #child(name: string, parent: Context, from: number, to: number): void {
    this.#begin(name, SpanKind.INTERNAL, from, parent).span.end(new Date(to));
  }

  #end(span: Span, at: number, fault: Fault | null): void {
    if (fault !== null) {
      const { type, message } = fault;
      span.setAttribute('error.type', type);
      span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== null && { message }) });
    }
    span.end(new Date(at));
  }
}
