import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { RequestRecord } from '../../src/core/record.ts';
import { faultOf } from '../../src/telemetry/requestSpan.ts';
import { untilRecorded } from '../support/aftermath.ts';
import {
  type Answer,
  REFUSING_URL,
  startBackend,
  startRawBackend,
} from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { requestRecord } from '../support/records.ts';
import { CHAT, ms, named, spansOf, startTraced } from './tracedJano.ts';

const STREAM = [
  'data: {"choices":[{"delta":{"content":"a secret answer"},"finish_reason":null}]}\n\n',
  'data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}\n\n',
  'data: [DONE]\n\n',
].join('');

const streaming: Answer = (_req, res) => {
  res.writeHead(200, { 'content-type': 'text/event-stream' }).end(STREAM);
};

test('a served request is one span of kind SERVER with its queue and its backend inside', async (t) => {
  const traced = await startTraced(t, await startBackend(t, streaming));

  const spans = await spansOf(traced);

  const request = named(spans, 'chat qwen');
  const [queue, upstream] = [named(spans, 'queue'), named(spans, 'upstream')];
  const [record] = traced.jano.snapshot().ledger.requests.newest();
  assert.ok(record !== undefined && record.dispatchedAt !== null);
  assert.equal(spans.length, 3);
  assert.deepEqual([request.kind, upstream.kind], [SpanKind.SERVER, SpanKind.CLIENT]);
  assert.equal(request.parentSpanContext, undefined);
  assert.deepEqual(
    [ms(request.startTime), ms(request.endTime)],
    [record.arrivedAt, record.endedAt],
  );
  assert.deepEqual(
    [ms(queue.startTime), ms(queue.endTime)],
    [record.arrivedAt, record.dispatchedAt],
  );
  assert.ok(ms(upstream.startTime) >= record.dispatchedAt);
  assert.equal(ms(upstream.endTime), record.endedAt);
  for (const child of [queue, upstream]) {
    assert.equal(child.parentSpanContext?.spanId, request.spanContext().spanId);
    assert.equal(child.spanContext().traceId, record.traceId);
  }
});

test('the span of a request says what was asked and what it cost, by the names of the conventions', async (t) => {
  const traced = await startTraced(t, await startBackend(t, streaming));

  const { attributes, status } = named(
    await spansOf(traced, `${CHAT}?api_key=secret`),
    'chat qwen',
  );

  const { 'gen_ai.response.time_to_first_chunk': firstChunk, ...others } = attributes;
  const [record] = traced.jano.snapshot().ledger.requests.newest();
  assert.ok(record?.dispatchedAt != null && record.firstByteAt !== null);
  assert.equal(firstChunk, (record.firstByteAt - record.dispatchedAt) / 1000);
  assert.deepEqual(others, {
    'http.request.method': 'POST',
    'http.route': CHAT,
    'http.response.status_code': 200,
    'url.path': CHAT,
    'url.scheme': 'http',
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'qwen',
    'gen_ai.request.stream': true,
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 7,
    'gen_ai.usage.output_tokens': 3,
    'jano.request.id': 1,
    'jano.outcome': 'served',
    'jano.queue.wait': (record.dispatchedAt - record.arrivedAt) / 1000,
    'jano.swap.wait': 0,
  });
  assert.equal(status.code, SpanStatusCode.UNSET);
});

test('no span holds anything of what was asked or answered, no key and no query', async (t) => {
  const traced = await startTraced(t, await startBackend(t, streaming));
  const init = {
    body: '{"model":"qwen","messages":[{"role":"user","content":"a secret question"}]}',
    headers: { authorization: 'Bearer sk-secret', cookie: 'secret' },
  };

  const spans = await spansOf(traced, `${CHAT}?key=secret`, init);

  const told = spans.map(({ name, attributes, status, events }) => [
    name,
    attributes,
    status,
    events,
  ]);
  assert.doesNotMatch(JSON.stringify(told), /secret/);
});

/** How a request ends, and what its span says of it. */
const endings: Readonly<
  Record<
    string,
    { url: (t: TestContext) => Promise<string>; told: (string | number | undefined)[] }
  >
> = {
  'that the backend refuses': {
    url: (t) => startBackend(t, (_req, res) => res.writeHead(400).end('{}')),
    told: ['refused', 400, undefined, SpanStatusCode.UNSET, '400'],
  },
  'that the backend fails at': {
    url: (t) => startBackend(t, (_req, res) => res.writeHead(500).end('{"error":"secret"}')),
    told: ['failed', 500, '500', SpanStatusCode.ERROR, '500'],
  },
  'whose backend is not there': {
    url: (t) => startRawBackend(t, (socket) => socket.destroy()),
    told: ['failed', 502, '502', SpanStatusCode.ERROR, '502'],
  },
  'whose answer is cut': {
    url: (t) =>
      startRawBackend(t, (socket) =>
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', () => socket.destroy()),
      ),
    told: ['cut', 200, 'cut', SpanStatusCode.ERROR, 'cut'],
  },
};

for (const [what, { url, told }] of Object.entries(endings)) {
  test(`the span of a request ${what} says so`, async (t) => {
    const traced = await startTraced(t, await url(t));

    const spans = await spansOf(traced);

    const { attributes, status } = named(spans, 'chat qwen');
    const upstream = named(spans, 'upstream');
    assert.deepEqual(
      [
        attributes['jano.outcome'],
        attributes['http.response.status_code'],
        attributes['error.type'],
        status.code,
        upstream.attributes['error.type'],
      ],
      told,
    );
    assert.equal(upstream.status.code, SpanStatusCode.ERROR);
    assert.doesNotMatch(JSON.stringify(status), /secret/);
  });
}

test('the span of a request whose caller leaves ends then, as an error', async (t) => {
  const reached = Promise.withResolvers<void>();
  const url = await startBackend(t, (_req, res) => {
    res.write('abc');
    reached.resolve();
  });
  const traced = await startTraced(t, url);
  const head = `POST ${CHAT} HTTP/1.1\r\nHost: jano\r\n\r\n`;
  const caller = await openRaw(t, traced.jano.port, head);
  await reached.promise;
  assert.deepEqual(traced.spans(), []);
  caller.socket.destroy();
  await untilRecorded(traced.jano, 1);

  const { attributes, status } = named(traced.spans(), 'chat qwen');

  assert.deepEqual(
    [attributes['jano.outcome'], attributes['error.type']],
    ['abandoned', 'abandoned'],
  );
  assert.equal(status.code, SpanStatusCode.ERROR);
  assert.equal(traced.spans().length, 3);
});

test('what a backend says of a failure is no part of a span, what Jano says is', () => {
  const failed = { outcome: 'failed', status: 500, error: 'words' } as const;
  const messageOf = (more: Partial<RequestRecord>): string | null | undefined =>
    faultOf(requestRecord({ ...failed, ...more }))?.message;

  assert.equal(messageOf({ firstByteAt: 1500 }), null);
  assert.equal(messageOf({ firstByteAt: null, status: 502 }), 'words');
  assert.equal(faultOf(requestRecord({ ...failed, status: 200 }))?.type, 'failed');
});

test('a request for no model is a span too, by a name that only few can have', async (t) => {
  const traced = await startTraced(t, REFUSING_URL);

  const unknown = { body: '{"model":"none"}' };
  await spansOf(traced, CHAT, unknown);
  await fetch(`${traced.jano.url}/scan/${'x'.repeat(5000)}`, { method: 'POST', ...unknown });
  await untilRecorded(traced.jano, 2);

  const [known, other] = traced.spans();
  assert.deepEqual([known?.name, other?.name], [`POST ${CHAT}`, 'POST']);
  assert.deepEqual([known?.status.code, known?.attributes['error.type']], [0, undefined]);
  assert.equal(String(other?.attributes['url.path']).length, 1000);
});
