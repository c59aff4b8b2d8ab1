import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import type { Attributes } from '@opentelemetry/api';
import supertest from 'supertest';
import { assertIdle, untilRecorded, untilShown } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { scrape, sumOf, valueOf } from '../support/scrape.ts';
import { startJanoFor } from '../support/startJano.ts';
import { testTelemetry } from '../support/telemetry.ts';

/** The body of every request here, which no backend may get in another form. */
export const ASKED = '{"stream": true, "model":"qwen",\n "n": 1.0}';

/** What Jano tells about one request, in all of its places. */
export interface Seen {
  /** What the backend was sent. */
  readonly asked: string;
  /** Of the answer's body. */
  readonly sha256: string;
  readonly record: Readonly<Record<string, unknown>>;
  /** Tokens in /metrics: input, output, cached. */
  readonly counted: readonly number[];
  readonly unmetered: number;
  readonly attributes: Attributes;
  readonly recentRate: unknown;
}

/** Resolves once so many bytes of the answer have passed Jano. */
export type UntilPassed = (bytes: number) => Promise<void>;

/** Asks through Jano, and gives all that it then tells about it. */
export async function askWatched(
  t: TestContext,
  path: string,
  type: string,
  answer: (res: ServerResponse, untilPassed: UntilPassed) => unknown,
  now: () => number = Date.now,
): Promise<Seen> {
  let asked = '';
  const url = await startBackend(t, async (req, res) => {
    asked = Buffer.concat(await req.toArray()).toString();
    res.writeHead(200, { 'content-type': type });
    await answer(res, (bytes) =>
      untilShown(jano, ({ running }) => (running[0]?.bytes ?? 0) >= bytes),
    );
  });
  const { telemetry, spans } = testTelemetry();
  const jano = await startJanoFor(t, url, {}, {}, { telemetry, now });
  const response = await fetch(jano.url + path, { method: 'POST', body: ASKED });
  const bytes = Buffer.from(await response.arrayBuffer());
  await untilRecorded(jano, 1);
  assertIdle(jano);
  const metrics = await scrape(jano);
  const usage = await supertest(jano.server).get('/usage').expect(200);
  const status = await supertest(jano.server).get('/status').expect(200);
  return {
    asked,
    sha256: sha256(bytes),
    record: usage.body.records[0],
    counted: ['input', 'output', 'cached'].map((kind) =>
      valueOf(metrics, `jano_tokens_total{model="qwen",type="${kind}"}`),
    ),
    unmetered: sumOf(metrics, 'jano_unmetered_total'),
    attributes: spans().find(({ name }) => name.endsWith(' qwen'))?.attributes ?? {},
    recentRate: status.body.recentGenTokS,
  };
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
