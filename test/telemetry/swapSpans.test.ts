import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { ask, askAll } from '../machine/asking.ts';
import { type MachineRigOptions, openMachineRig } from '../machine/machineRig.ts';
import { untilRecorded } from '../support/aftermath.ts';
import { requestRecord, swapRecord } from '../support/records.ts';
import { testTelemetry } from '../support/telemetry.ts';
import { ms } from './tracedJano.ts';

/** Shell text. */
const FAILS_ONCE = '[ -e failed ] || { : > failed; echo "no memory" >&2; exit 3; }';

async function openTraced(t: TestContext, options: MachineRigOptions = {}) {
  const traces = testTelemetry();
  const surroundings = { telemetry: traces.telemetry };
  const rig = await openMachineRig(t, ['a', 'b'], { resident: ['a'], surroundings, ...options });
  return { ...rig, ...traces };
}

function allNamed(spans: readonly ReadableSpan[], name: string): ReadableSpan[] {
  return spans.filter((span) => span.name === name);
}

test('a swap is a trace of its own, with its phases, and all who waited for it are linked to it', async (t) => {
  const { jano, spans } = await openTraced(t);

  await askAll(jano, ['b', 'b', 'b']);
  await untilRecorded(jano, 3);

  const [swap, ...more] = allNamed(spans(), 'swap b');
  const [record] = jano.snapshot().ledger.swaps.newest();
  assert.ok(swap !== undefined && record !== undefined);
  assert.deepEqual([more, swap.kind, swap.parentSpanContext], [[], SpanKind.INTERNAL, undefined]);
  const { 'jano.swap.cause': cause, ...others } = swap.attributes;
  assert.equal(cause, record.cause.why);
  assert.deepEqual(others, {
    'jano.swap.id': 1,
    'jano.swap.from': ['a'],
    'jano.swap.to': 'b',
    'jano.swap.outcome': 'ok',
  });
  assert.deepEqual([ms(swap.startTime), ms(swap.endTime)], [record.startedAt, record.endedAt]);
  assert.equal(record.traceId, swap.spanContext().traceId);
  const [script] = allNamed(spans(), 'script');
  const [ready] = allNamed(spans(), 'ready');
  assert.ok(script !== undefined && ready !== undefined);
  assert.equal(ms(script.endTime) - ms(script.startTime), record.scriptMs);
  assert.equal(ms(ready.startTime), ms(script.endTime));
  const requests = spans().filter(({ kind }) => kind === SpanKind.SERVER);
  assert.equal(requests.length, 3);
  for (const { links, attributes } of requests) {
    assert.deepEqual(
      links.map(({ context }) => context),
      [swap.spanContext()],
    );
    assert.ok(Number(attributes['jano.swap.wait']) <= Number(attributes['jano.queue.wait']));
  }
});

test('a swap that fails and is tried again is two spans, and who waited is linked to both', async (t) => {
  const { jano, spans } = await openTraced(t, { script: FAILS_ONCE });

  await ask(jano, 'b');
  await untilRecorded(jano, 1);

  const swaps = allNamed(spans(), 'swap b');
  const [failed, good] = swaps;
  assert.equal(failed?.attributes['error.type'], 'script_failed');
  assert.match(failed?.status.message ?? '', /no memory/);
  assert.deepEqual(
    [good?.status.code, good?.attributes['jano.swap.outcome']],
    [SpanStatusCode.UNSET, 'ok'],
  );
  const [request] = spans().filter(({ kind }) => kind === SpanKind.SERVER);
  assert.deepEqual(
    request?.links.map(({ context }) => context),
    swaps.map((swap) => swap.spanContext()),
  );
});

test('the span of a request that no swap could help has its wait, its links and no backend', async (t) => {
  const { jano, spans } = await openTraced(t, { script: 'echo "no memory" >&2; exit 3' });

  await ask(jano, 'b');
  await untilRecorded(jano, 1);

  const [request] = spans().filter(({ kind }) => kind === SpanKind.SERVER);
  assert.equal(request?.attributes['error.type'], '503');
  assert.match(request?.status.message ?? '', /could not be loaded/);
  assert.equal(request?.links.length, 2);
  assert.equal(allNamed(spans(), 'queue').length, 1);
  assert.deepEqual(allNamed(spans(), 'upstream'), []);
});

test('of 600 swaps the newest 500 can still be linked to', () => {
  const traces = testTelemetry();
  const { telemetry } = traces;
  for (let id = 1; id <= 600; id++) {
    const swap = swapRecord({ id });
    telemetry.swapStarted({ ...swap, phase: 'script' });
    telemetry.recorder.swapClosed(swap);
  }
  telemetry.requestArrived({
    id: 1,
    arrivedAt: 1000,
    traceparent: undefined,
    tracestate: undefined,
  });
  telemetry.recorder.requestClosed(requestRecord({ swapIds: [1, 100, 101, 600] }));

  const [request] = traces.spans().filter(({ kind }) => kind === SpanKind.SERVER);
  assert.deepEqual([request?.links.length, request?.startTime], [2, [1, 0]]);
});

test('a tracer that fails takes nothing from a request', async () => {
  const tracer: Tracer = { startSpan: fail, startActiveSpan: fail };
  const told: unknown[] = [];
  const traces = { tracer, shutdown: () => Promise.resolve() };
  const telemetry = createTelemetry('test', traces, (error) => told.push(error));

  const arrived = { id: 1, arrivedAt: 1, traceparent: undefined, tracestate: undefined };
  const traceId = telemetry.requestArrived(arrived);
  const headers = telemetry.requestForwarded(1, 1);
  const swapTraceId = telemetry.swapStarted({ ...swapRecord(), phase: 'script' });
  await telemetry.shutdown();

  assert.deepEqual([traceId, headers, swapTraceId], [null, {}, null]);
  assert.equal(told.length, 2);
});

function fail(): never {
  throw new Error('a bug');
}
