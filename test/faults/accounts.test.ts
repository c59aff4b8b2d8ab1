import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { assertRecorded, untilRecorded, untilShown } from '../support/aftermath.ts';
import { REFUSING_URL, startRawBackend } from '../support/fakeBackend.ts';
import { openRaw, type RawConnection } from '../support/rawHttp.ts';
import { scrape, sumOf, valueOf } from '../support/scrape.ts';
import { type RunningJano, startJanoFor } from '../support/startJano.ts';
import { type TestTelemetry, testTelemetry } from '../support/telemetry.ts';

const BODY = '{"model":"qwen","stream":true}';
const REQUEST = `POST /v1/chat/completions HTTP/1.1\r\nHost: jano\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
const HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const WORD = chunk('data: {"choices":[{"delta":{"content":"word"}}]}\n\n');
const USAGE = chunk('data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}\n\n');
const END = '0\r\n\r\n';

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

/** Jano with its spans in front of a backend with one slot, whose every connection the test goes on with. */
interface Scene extends TestTelemetry {
  readonly jano: RunningJano;
  /** Sends a request and gives both ends of it once it has reached the backend. */
  send(): Promise<{ caller: RawConnection; backend: Socket }>;
}

async function setScene(t: TestContext): Promise<Scene> {
  const awaited: ((socket: Socket) => void)[] = [];
  const url = await startRawBackend(t, (socket, request) => {
    if (request.toString('latin1').startsWith('POST ')) return awaited.shift()?.(socket);
    // Who left early has it asked for its slots, whenever that is.
    return socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
  });
  const traces = testTelemetry();
  const { telemetry } = traces;
  const jano = await startJanoFor(t, url, {}, { parallel: 1 }, { telemetry });
  return {
    ...traces,
    jano,
    async send() {
      const reached = new Promise<Socket>((resolve) => awaited.push(resolve));
      return { caller: await openRaw(t, jano.port, REQUEST), backend: await reached };
    },
  };
}

/** Breaks it off as a process does that is killed. */
function reset(socket: Socket): void {
  socket.resetAndDestroy();
}

test('met-07: in flight and waiting no longer drift, wherever a request ends', async (t) => {
  const scene = await setScene(t);
  const { jano } = scene;
  const seen: [inFlight: number, waiting: number][] = [];
  const look = async (): Promise<void> => {
    const scraped = await scrape(jano);
    const { values } = scraped;
    const read = (name: string): number => values.get(`${name}{model="qwen"}`) ?? NaN;
    seen.push([read('jano_requests_in_flight'), read('jano_queue_depth')]);
  };

  const prefill = await scene.send();
  const waiting = await openRaw(t, jano.port, REQUEST);
  await untilShown(jano, (shown) => shown.waiting.length === 1);
  await look();
  waiting.socket.destroy();
  await untilRecorded(jano, 1);
  await look();
  prefill.caller.socket.destroy();
  await untilRecorded(jano, 2);
  await look();
  const midStream = await scene.send();
  midStream.backend.write(HEAD + WORD);
  await midStream.caller.until((text) => text.includes('word'));
  await look();
  midStream.caller.socket.destroy();
  await untilRecorded(jano, 3);
  const cut = await scene.send();
  cut.backend.write(HEAD + WORD, () => reset(cut.backend));
  await untilRecorded(jano, 4);
  const gone = await scene.send();
  reset(gone.backend);
  await untilRecorded(jano, 5);
  await look();

  assert.deepEqual(seen, [
    [1, 1],
    [1, 0],
    [0, 0],
    [1, 0],
    [0, 0],
  ]);
  await assertRecorded(jano, [
    '499 abandoned',
    '499 abandoned',
    '499 abandoned',
    '200 cut',
    '502 failed',
  ]);
});

test('met-08: a stream that is reset, which the middleware tells twice, no longer counts twice', async (t) => {
  const scene = await setScene(t);
  const { caller, backend } = await scene.send();
  backend.write(HEAD + WORD);
  await caller.until((text) => text.includes('word'));

  reset(backend);
  await caller.closed();
  await untilRecorded(scene.jano, 1);

  await assertCountedOnce(scene, 'cut');
});

test('met-08: a backend that refuses no longer counts as two errors', async (t) => {
  const traces = testTelemetry();
  const { telemetry } = traces;
  const jano = await startJanoFor(t, REFUSING_URL, {}, { pinned: true }, { telemetry });

  await (await fetch(`${jano.url}/v1/chat/completions`, { method: 'POST', body: BODY })).text();
  await untilRecorded(jano, 1);

  await assertCountedOnce({ ...traces, jano }, 'failed');
  assert.equal(jano.snapshot().ledger.errorsLastQuarter.total(Date.now()), 1);
});

for (const [when, usage, tokens] of [
  ['after its usage was seen', USAGE, [7, 3]],
  ['before its usage was seen', '', [0, 0]],
] as const) {
  test(`met-08: an answer whose caller leaves ${when} counts once, as abandoned, with what was seen`, async (t) => {
    const scene = await setScene(t);
    const { caller, backend } = await scene.send();
    backend.write(HEAD + WORD + usage);
    await caller.until((text) => text.includes(usage === '' ? 'word' : 'completion_tokens'));

    caller.socket.destroy();
    await untilRecorded(scene.jano, 1);

    await assertCountedOnce(scene, 'abandoned');
    const scraped = await scrape(scene.jano);
    const of = (type: string) => valueOf(scraped, `jano_tokens_total{model="qwen",type="${type}"}`);
    assert.deepEqual([of('input'), of('output')], tokens);
    assert.equal(sumOf(scraped, 'jano_requests_total', 'outcome="served"'), 0);
  });
}

/** One record, one span, and one in /metrics, under that outcome. */
async function assertCountedOnce(
  { jano, spans }: Pick<Scene, 'jano' | 'spans'>,
  outcome: string,
): Promise<void> {
  const records = jano.snapshot().ledger.requests.newest();
  const scraped = await scrape(jano);
  assert.deepEqual(
    records.map((record) => record.outcome),
    [outcome],
  );
  assert.equal(sumOf(scraped, 'jano_requests_total', `outcome="${outcome}"`), 1);
  assert.equal(sumOf(scraped, 'jano_requests_total'), 1);
  assert.equal(serverSpans(spans).length, 1);
}

for (const [how, status, finish] of [
  [
    'is served',
    SpanStatusCode.UNSET,
    async ({ caller, backend }) => {
      backend.end(END);
      await caller.until((text) => text.endsWith(END));
    },
  ],
  [
    'is left by its caller',
    SpanStatusCode.ERROR,
    async ({ caller, backend }) => {
      const told = once(backend, 'close');
      caller.socket.destroy();
      await told;
    },
  ],
  [
    'breaks with its backend',
    SpanStatusCode.ERROR,
    async ({ caller, backend }) => {
      reset(backend);
      await caller.closed();
    },
  ],
] as const satisfies readonly (readonly [
  string,
  SpanStatusCode,
  (ends: Awaited<ReturnType<Scene['send']>>) => Promise<void>,
])[]) {
  test(`met-12: the span of a stream that ${how} no longer ends with its head, or never`, async (t) => {
    const scene = await setScene(t);
    const ends = await scene.send();
    ends.backend.write(HEAD + WORD);
    await ends.caller.until((text) => text.includes('word'));
    const during = serverSpans(scene.spans).length;

    await finish(ends);
    await untilRecorded(scene.jano, 1);

    const [span, ...others] = serverSpans(scene.spans);
    const [record] = scene.jano.snapshot().ledger.requests.newest();
    assert.deepEqual([during, others.length], [0, 0]);
    assert.equal(span?.status.code, status);
    assert.deepEqual(
      [msOf(span.startTime), msOf(span.endTime)],
      [record?.arrivedAt, record?.endedAt],
    );
  });
}

function serverSpans(spans: TestTelemetry['spans']) {
  return spans().filter(({ kind }) => kind === SpanKind.SERVER);
}

function msOf([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
