import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { untilRecorded } from '../support/aftermath.ts';
import { type RunningJano, startJanoFor } from '../support/startJano.ts';
import { type TestTelemetry, testTelemetry } from '../support/telemetry.ts';

export const CHAT = '/v1/chat/completions';

/** With spans that the test can see. */
export interface Traced extends TestTelemetry {
  readonly jano: RunningJano;
}

/** Jano in front of this URL, as the model "qwen", with its spans. */
export async function startTraced(
  t: TestContext,
  url: string,
  traces = testTelemetry(),
): Promise<Traced> {
  const { telemetry } = traces;
  return { ...traces, jano: await startJanoFor(t, url, {}, {}, { telemetry }) };
}

/** Sends a request, takes whatever comes, and gives the spans that were made of it. */
export async function spansOf(
  traced: Traced,
  path = CHAT,
  init: RequestInit = {},
): Promise<readonly ReadableSpan[]> {
  const sent = { method: 'POST', body: '{"model":"qwen","stream":true}', ...init };
  const response = await fetch(traced.jano.url + path, sent);
  await response.text().catch(() => undefined);
  await untilRecorded(traced.jano, 1);
  return traced.spans();
}

/** The one of that name. */
export function named(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const found = spans.filter((other) => other.name === name);
  const [span] = found;
  assert.ok(
    found.length === 1 && span !== undefined,
    `${name} among ${spans.map((other) => other.name).join(', ')}`,
  );
  return span;
}

/** Of a span's time. */
export function ms([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
