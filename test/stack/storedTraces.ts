import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { until } from '../rig/polling.ts';
import type { ExampleJano } from './exampleJano.ts';
import type { JaegerApi, StoredSpan } from './jaegerApi.ts';
import { childrenOf, linkedBy } from './spanTree.ts';

/** Of a request: itself, queue, upstream. Of a swap: itself, script, ready. */
const SPANS_EACH = 3;

/** Resolves once it has every span of all that Jano has recorded, with what it has of that service. */
export async function untilAllStored(
  jano: ExampleJano,
  api: JaegerApi,
  service = 'jano',
): Promise<StoredSpan[]> {
  const recorded = [...(await jano.requests()), ...(await jano.swaps())];
  const count = recorded.length * SPANS_EACH;
  let spans: StoredSpan[] = [];
  await until(`Jaeger has ${count} spans of ${service}`, async () => {
    spans = await api.spansOf(service);
    return spans.length >= count;
  });
  return spans;
}

/** Resolves once it has the spans of these requests; those below them may still be missing. */
export async function untilStored(api: JaegerApi, ids: readonly number[]): Promise<void> {
  await until(`Jaeger has the requests ${ids.join(', ')}`, async () => {
    const stored = new Set((await api.spansOf('jano')).map(requestIdOf));
    return ids.every((id) => stored.has(id));
  });
}

/** Shows that they are what Jano says itself of its requests and swaps, and nothing else. */
export async function checkTraces(
  t: TestContext,
  jano: ExampleJano,
  spans: readonly StoredSpan[],
): Promise<void> {
  const requests = await jano.requests();
  const swaps = await jano.swaps();
  const requestSpans = spans.filter((span) => requestIdOf(span) !== undefined);
  const swapSpans = spans.filter((span) => swapIdOf(span) !== undefined);

  await t.test('each request is a trace, of its queue and of the backend at work', () => {
    assert.ok(requests.length > 0);
    assert.equal(requestSpans.length, requests.length);
    for (const { id, trace_id, model, outcome, gen_tokens } of requests) {
      const span = one(requestSpans.filter((other) => requestIdOf(other) === id));
      assert.equal(span.traceId, trace_id);
      assert.equal(span.parentSpanId, null);
      assert.equal(span.name, `chat ${model}`);
      assert.equal(span.attributes['jano.outcome'], outcome);
      assert.equal(span.attributes['gen_ai.usage.output_tokens'], gen_tokens);
      assert.deepEqual(namesOf(childrenOf(spans, span)), ['queue', 'upstream']);
    }
  });

  await t.test('each swap is a trace of its own, of its script and of the load', () => {
    assert.ok(swaps.length > 0);
    assert.equal(swapSpans.length, swaps.length);
    for (const { id, to, total_ms } of swaps) {
      const span = one(swapSpans.filter((other) => swapIdOf(other) === id));
      assert.equal(span.parentSpanId, null);
      assert.equal(span.name, `swap ${to}`);
      assert.equal(Math.round(span.durationMs), total_ms);
      assert.deepEqual(namesOf(childrenOf(spans, span)), ['script', 'ready']);
    }
  });

  await t.test('a request links to the swaps that it waited for', () => {
    for (const { id, swap_ms } of requests) {
      const span = one(requestSpans.filter((other) => requestIdOf(other) === id));
      const linked = linkedBy(spans, span);
      assert.equal(linked.length, span.links.length);
      assert.equal(linked.length > 0, swap_ms > 0);
    }
    const linked = new Set(requestSpans.flatMap((span) => linkedBy(spans, span)));
    assert.deepEqual(linked, new Set(swapSpans));
  });

  await t.test('nothing of what was said is in it', () => {
    assert.doesNotMatch(JSON.stringify(spans), /Who are you/);
  });
}

/** As they were listed. */
export function namesOf(spans: readonly StoredSpan[]): string[] {
  return spans.map(({ name }) => name);
}

function requestIdOf({ attributes }: StoredSpan): unknown {
  return attributes['jano.request.id'];
}

function swapIdOf({ attributes }: StoredSpan): unknown {
  return attributes['jano.swap.id'];
}

function one(spans: readonly StoredSpan[]): StoredSpan {
  const [span] = spans;
  assert.ok(span !== undefined && spans.length === 1, `${spans.length} instead of one span`);
  return span;
}
