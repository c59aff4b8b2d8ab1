import { z } from 'zod';

/** A span as Jaeger has stored it. */
export interface StoredSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Null where it has none in any trace. */
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly service: string;
  /** Spans of other traces that it names, as trace/span. */
  readonly links: readonly string[];
  /** Epoch milliseconds, with a fraction. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** More than any of our runs makes. */
const MOST_TRACES = 1000;

const answer = z.object({
  data: z.array(
    z.object({
      spans: z.array(
        z.object({
          traceID: z.string(),
          spanID: z.string(),
          operationName: z.string(),
          references: z.array(
            z.object({
              refType: z.enum(['CHILD_OF', 'FOLLOWS_FROM']),
              traceID: z.string(),
              spanID: z.string(),
            }),
          ),
          startTime: z.number(),
          duration: z.number(),
          tags: z.array(z.object({ key: z.string(), value: z.unknown() })),
          processID: z.string(),
        }),
      ),
      processes: z.record(z.string(), z.object({ serviceName: z.string() })),
    }),
  ),
});

type Trace = z.infer<typeof answer>['data'][number];

/** Asks a Jaeger as its own pages and Grafana do. */
export class JaegerApi {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** All spans of this service, and those of others in the same traces. */
  async spansOf(service: string): Promise<StoredSpan[]> {
    const query = new URLSearchParams({ service, limit: String(MOST_TRACES) });
    const response = await fetch(`${this.#url}/api/traces?${query}`);
    const { data } = answer.parse(await response.json());
    return data.flatMap(spansIn);
  }
}

function spansIn({ spans, processes }: Trace): StoredSpan[] {
  return spans.map((span) => {
    const parent = span.references.find(({ refType }) => refType === 'CHILD_OF');
    const links = span.references.filter(({ refType }) => refType === 'FOLLOWS_FROM');
    return {
      traceId: span.traceID,
      spanId: span.spanID,
      parentSpanId: parent?.spanID ?? null,
      name: span.operationName,
      service: processes[span.processID]?.serviceName ?? '',
      links: links.map(({ traceID, spanID }) => `${traceID}/${spanID}`),
      startedAt: span.startTime / 1000,
      durationMs: span.duration / 1000,
      attributes: Object.fromEntries(span.tags.map(({ key, value }) => [key, value])),
    };
  });
}
