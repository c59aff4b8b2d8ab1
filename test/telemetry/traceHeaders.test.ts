import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace';
import { untilRecorded } from '../support/aftermath.ts';
import { startRawBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { startJanoFor } from '../support/startJano.ts';
import { type TestTelemetry, testTelemetry } from '../support/telemetry.ts';
import { CHAT, named, spansOf, startTraced } from './tracedJano.ts';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** A backend that keeps the heads of what it gets. */
async function startHeads(t: TestContext): Promise<{ url: string; heads: string[] }> {
  const heads: string[] = [];
  const url = await startRawBackend(t, (socket, request) => {
    heads.push(request.toString('latin1'));
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}');
  });
  return { url, heads };
}

test('the trace of the caller goes on to the backend, through the span of the request', async (t) => {
  const { url, heads } = await startHeads(t);
  const traced = await startTraced(t, url);

  const spans = await spansOf(traced, CHAT, {
    headers: { traceparent: PARENT, tracestate: 'vendor=x' },
  });

  const upstream = named(spans, 'upstream');
  const { traceId, spanId } = upstream.spanContext();
  assert.equal(named(spans, 'chat qwen').parentSpanContext?.spanId, 'b7ad6b7169203331');
  assert.equal(traceId, '0af7651916cd43dd8448eb211c80319c');
  assert.deepEqual(heads[0]?.match(/^trace.*$/gim), [
    `traceparent: 00-${traceId}-${spanId}-01`,
    'tracestate: vendor=x',
  ]);
  assert.equal(traced.jano.snapshot().ledger.requests.newest()[0]?.traceId, traceId);
});

test('a tracestate in two parts goes on as one', async (t) => {
  const { url, heads } = await startHeads(t);
  const { jano } = await startTraced(t, url);
  const asking = `POST ${CHAT} HTTP/1.1\r\nHost: jano\r\ntraceparent: ${PARENT}\r\ntracestate: a=1\r\nTraceState: b=2\r\nConnection: close\r\n\r\n`;

  await (await openRaw(t, jano.port, asking)).closed();

  assert.deepEqual(heads[0]?.match(/^tracestate.*$/gim), ['tracestate: a=1,b=2']);
});

test('who sends no trace, or one that is none, gets one of its own', async (t) => {
  const { url, heads } = await startHeads(t);
  const traced = await startTraced(t, url);

  await spansOf(traced);
  await fetch(traced.jano.url + CHAT, { method: 'POST', headers: { traceparent: 'nonsense' } });
  await untilRecorded(traced.jano, 2);

  const sent = heads.map((head) => /^traceparent: 00-(\w{32})-\w{16}-01\r$/m.exec(head)?.[1]);
  const records = traced.jano.snapshot().ledger.requests.newest().toReversed();
  assert.deepEqual(
    sent,
    records.map(({ traceId }) => traceId),
  );
  assert.notEqual(sent[0], sent[1]);
});

const quiet: Readonly<Record<string, TestTelemetry | undefined>> = {
  'nobody traces': undefined,
  'nothing is sampled': testTelemetry(new AlwaysOffSampler()),
};

for (const [when, traces] of Object.entries(quiet)) {
  test(`while ${when}, the caller’s trace headers reach the backend as they came`, async (t) => {
    const { url, heads } = await startHeads(t);
    const surroundings = traces === undefined ? {} : { telemetry: traces.telemetry };
    const jano = await startJanoFor(t, url, {}, {}, surroundings);
    const asking = `POST ${CHAT} HTTP/1.1\r\nHost: jano\r\nTraceParent: ${PARENT}\r\ntracestate:a=1\r\nTraceState:  b=2 \r\nConnection: close\r\n\r\n`;

    await (await openRaw(t, jano.port, asking)).closed();
    await untilRecorded(jano, 1);

    const sent = heads[0]?.split('\r\n').filter((line) => /^trace/i.test(line));
    assert.deepEqual(sent, [`TraceParent: ${PARENT}`, 'tracestate: a=1', 'TraceState: b=2']);
    assert.equal(jano.snapshot().ledger.requests.newest()[0]?.traceId, null);
    assert.deepEqual(traces?.spans() ?? [], []);
  });
}
