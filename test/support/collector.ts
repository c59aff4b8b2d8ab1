import { createServer, type RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import { listen } from './listening.ts';

const value = z.object({
  stringValue: z.string().optional(),
  intValue: z.coerce.number().optional(),
  doubleValue: z.number().optional(),
  boolValue: z.boolean().optional(),
  arrayValue: z.unknown().optional(),
});
const attributes = z.array(z.object({ key: z.string(), value })).prefault([]);

const batch = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              kind: z.number(),
              startTimeUnixNano: z.string(),
              endTimeUnixNano: z.string(),
              attributes,
              links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).prefault([]),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** A span as it comes over OTLP, with its attributes and those of its resource. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly links: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** What takes OTLP in JSON; ends with the test. */
export interface Collector {
  readonly url: string;
  readonly paths: readonly string[];
  readonly spans: readonly ReceivedSpan[];
}

/** One that takes all it gets. */
export async function startCollector(t: TestContext): Promise<Collector> {
  const paths: string[] = [];
  const spans: ReceivedSpan[] = [];
  const url = await serve(t, async (req, res) => {
    paths.push(`${req.method} ${req.url}`);
    spans.push(...spansIn(await json(req)));
    res.setHeader('content-type', 'application/json').end('{}');
  });
  return { url, paths, spans };
}

/** One that takes connections and says nothing. `reached` resolves when something was sent to it. */
export async function startMuteCollector(
  t: TestContext,
): Promise<{ url: string; reached: Promise<void> }> {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  return { url: await serve(t, () => resolve()), reached };
}

async function serve(
  t: TestContext,
  listener: (...args: Parameters<RequestListener>) => unknown,
): Promise<string> {
  const server = createServer((req, res) => void listener(req, res));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

function spansIn(body: unknown): ReceivedSpan[] {
  return batch.parse(body).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        startedAt: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
        endedAt: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
        links: span.links.map(({ traceId, spanId }) => `${traceId}/${spanId}`),
        attributes: recordOf(span.attributes),
        resource: recordOf(resource.attributes),
      })),
    ),
  );
}

function recordOf(list: z.infer<typeof attributes>): Record<string, unknown> {
  return Object.fromEntries(
    list.map(({ key, value: { stringValue, intValue, doubleValue, boolValue, arrayValue } }) => [
      key,
      stringValue ?? intValue ?? doubleValue ?? boolValue ?? arrayValue,
    ]),
  );
}
