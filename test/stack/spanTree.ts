import type { StoredSpan } from './jaegerApi.ts';

/** The same in each of our spans: who made it. */
const SCOPE = 'otel.scope.';

/** A trace in lines, each span below its parent: when it began after the first, how long it took, what it says. */
export function drawTrace(spans: readonly StoredSpan[], traceId: string): string {
  const trace = spans.filter((span) => span.traceId === traceId);
  const ids = new Set(trace.map(({ spanId }) => spanId));
  const beganAt = Math.min(...trace.map(({ startedAt }) => startedAt));
  const lines = (span: StoredSpan, depth: number): string[] => [
    ...describe(span, spans, beganAt, '  '.repeat(depth)),
    ...childrenOf(trace, span).flatMap((child) => lines(child, depth + 1)),
  ];
  return trace
    .filter(({ parentSpanId }) => parentSpanId === null || !ids.has(parentSpanId))
    .flatMap((root) => lines(root, 0))
    .join('\n');
}

/** Those right below it, as they began. */
export function childrenOf(spans: readonly StoredSpan[], parent: StoredSpan): StoredSpan[] {
  return spans
    .filter(
      ({ traceId, parentSpanId }) => traceId === parent.traceId && parentSpanId === parent.spanId,
    )
    .toSorted((one, other) => one.startedAt - other.startedAt);
}

/** What a span links to, as far as it is stored. */
export function linkedBy(spans: readonly StoredSpan[], { links }: StoredSpan): StoredSpan[] {
  return spans.filter(({ traceId, spanId }) => links.includes(`${traceId}/${spanId}`));
}

function describe(
  span: StoredSpan,
  spans: readonly StoredSpan[],
  beganAt: number,
  indent: string,
): string[] {
  const after = Math.round(span.startedAt - beganAt);
  return [
    `${`${indent}${span.name}`.padEnd(20)} +${after} ms, ${Math.round(span.durationMs)} ms`,
    ...Object.entries(span.attributes)
      .filter(([name]) => !name.startsWith(SCOPE))
      .map(([name, value]) => `${indent}    ${name} = ${String(value)}`),
    ...linkedBy(spans, span).map(
      ({ name, traceId }) => `${indent}    link to ${name} in ${traceId}`,
    ),
  ];
}
