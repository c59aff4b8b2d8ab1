import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import supertest from 'supertest';
import { assertIdle, untilRecorded, untilShown } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { scrape, sumOf, valueOf } from '../support/scrape.ts';
import { type RunningJano, startJanoFor } from '../support/startJano.ts';
import { testTelemetry } from '../support/telemetry.ts';

/** The body of every request here, which no backend may get in another form. */
export const ASKED = '{"stream": true, "model":"qwen",\n "n": 1.0}';

/** What the caller gets. */
export interface Answered {
  readonly status: number;
  /** Of the answer's body. */
  readonly sha256: string;
}

/** What Jano tells about what it was asked, in all of its places. */
export interface Told {
  /** Of the request that ended last. */
  readonly record: Readonly<Record<string, unknown>>;
  /** Tokens in /metrics: input, output, cached. */
  readonly counted: readonly number[];
  /** Tokens in /status: input, output. OpenTelemetry would hide a count that went down. */
  readonly totals: readonly unknown[];
  /** Requests in /metrics that were served. */
  readonly served: number;
  readonly unmetered: number;
  /** Of the request that ended last. */
  readonly attributes: ReadableSpan['attributes'];
  readonly spans: readonly ReadableSpan[];
  /** The mean speed of generation in /status, and in /metrics. */
  readonly recentRates: readonly [unknown, number];
}

/** What Jano tells about one request, and what its caller and its backend got. */
export interface Seen extends Answered, Told {
  /** What the backend was sent. */
  readonly asked: string;
}

/** Resolves once so many bytes of the answer have passed Jano. */
export type UntilPassed = (bytes: number) => Promise<void>;

export type WatchedAnswer = (res: ServerResponse, untilPassed: UntilPassed) => unknown;

/** Jano in front of one backend with one slot. */
export interface Watched {
  readonly jano: RunningJano;
  /** What the backend was sent last. */
  readonly asked: () => string;
  readonly ask: (path: string) => Promise<Answered>;
  /** Once so many requests are over. */
  readonly tell: (count: number) => Promise<Told>;
}

/** Asks through Jano, and gives all that it then tells about it. */
export async function askWatched(
  t: TestContext,
  path: string,
  type: string,
  answer: WatchedAnswer,
  now: () => number = Date.now,
): Promise<Seen> {
  const { asked, ask, tell } = await startWatched(t, type, answer, now);
  const answered = await ask(path);
  return { ...answered, ...(await tell(1)), asked: asked() };
}

/** Starts it; the backend's answers are of this content type. */
export async function startWatched(
  t: TestContext,
  type: string,
  answer: WatchedAnswer,
  now: () => number = Date.now,
): Promise<Watched> {
  let asked = '';
  const url = await startBackend(t, async (req, res) => {
    asked = Buffer.concat(await req.toArray()).toString();
    res.writeHead(200, { 'content-type': type });
    await answer(res, (bytes) =>
      untilShown(jano, ({ running }) => (running[0]?.bytes ?? 0) >= bytes),
    );
  });
  const { telemetry, spans } = testTelemetry();
  const jano = await startJanoFor(t, url, {}, { parallel: 1 }, { telemetry, now });
  return {
    jano,
    asked: () => asked,
    async ask(path) {
      const response = await fetch(jano.url + path, { method: 'POST', body: ASKED });
      const bytes = Buffer.from(await response.arrayBuffer());
      return { status: response.status, sha256: sha256(bytes) };
    },
    tell: (count) => tellOf(jano, spans, count),
  };
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function tellOf(
  jano: RunningJano,
  spans: () => readonly ReadableSpan[],
  count: number,
): Promise<Told> {
  await untilRecorded(jano, count);
  assertIdle(jano);
  const metrics = await scrape(jano);
  const usage = await supertest(jano.server).get('/usage').expect(200);
  const status = await supertest(jano.server).get('/status').expect(200);
  return {
    record: usage.body.records[0],
    counted: ['input', 'output', 'cached'].map((kind) =>
      valueOf(metrics, `jano_tokens_total{model="qwen",type="${kind}"}`),
    ),
    totals: [status.body.promptTokensTotal, status.body.tokensGeneratedTotal],
    served: sumOf(metrics, 'jano_requests_total', 'outcome="served"'),
    unmetered: sumOf(metrics, 'jano_unmetered_total'),
    attributes: spans().findLast(({ name }) => name.endsWith(' qwen'))?.attributes ?? {},
    spans: spans(),
    recentRates: [
      status.body.recentGenTokS,
      valueOf(metrics, 'jano_generation_rate_tokens_per_second{model="qwen"}'),
    ],
  };
}
