import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { SpanKind } from '@opentelemetry/api';
import type { Surroundings } from '../../src/jano.ts';
import { Log } from '../../src/telemetry/log.ts';
import { createNoTelemetry } from '../../src/telemetry/telemetry.ts';
import { readAnswer } from '../fuzz/answerReading.ts';
import { untilRecorded } from '../support/aftermath.ts';
import { listen } from '../support/listening.ts';
import { openRaw } from '../support/rawHttp.ts';
import { scrape, sumOf } from '../support/scrape.ts';
import { openSink } from '../support/sink.ts';
import { startJanoFor } from '../support/startJano.ts';
import { testTelemetry } from '../support/telemetry.ts';
import { acceptWebSocket } from '../support/webSocketServer.ts';
import { passages } from './routes.ts';

const TRACE = /^trace(?:parent|state)$/i;
const WEB_SOCKET =
  'GET /v1/realtime?model=qwen HTTP/1.1\r\nHost: jano\r\nX-Case: websocket\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n\r\n';
/** A text frame "hi" and a close frame, masked with zeros. */
const FRAMES = Buffer.from('8182000000006869888000000000', 'hex');

/** What has passed on its way, by the name of the passage: as sha256, and the trace apart. */
interface Passed {
  readonly toBackend: Map<string, string>;
  readonly toCaller: Map<string, string>;
  readonly traces: Map<string, string>;
}

/** A backend that answers each passage as it says and notes what reached it. */
async function startNoting(t: TestContext): Promise<{ url: string; noted: () => Passed }> {
  let passed = emptyPassed();
  const answers = new Map(passages.map(({ name, answer }) => [encodeURIComponent(name), answer]));
  const note = (req: IncomingMessage, body: Buffer): void => {
    const pairs = headerPairs(req);
    const name = String(req.headers['x-case']);
    const head = pairs.filter(([header]) => !TRACE.test(header));
    const line = `${req.method} ${req.url} HTTP/${req.httpVersion}`;
    passed.toBackend.set(name, sha256(JSON.stringify([line, head]), body));
    passed.traces.set(name, String(req.headers['traceparent']));
  };
  const server = createServer((req, res) => {
    if (req.url === '/health') return void res.end();
    res.sendDate = false;
    void buffer(req).then((body) => {
      note(req, body);
      return answers.get(String(req.headers['x-case']))?.(req, res);
    });
  });
  server.on('upgrade', (req) => {
    note(req, Buffer.alloc(0));
    const peer = acceptWebSocket(req);
    peer.onText = (text) => peer.send(`${text}!`);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    noted() {
      const before = passed;
      passed = emptyPassed();
      return before;
    },
  };
}

/** Has all of it pass through a Jano with these surroundings. */
async function passAll(
  t: TestContext,
  { url, noted }: Awaited<ReturnType<typeof startNoting>>,
  surroundings: Surroundings,
): Promise<Passed & { readonly jano: Awaited<ReturnType<typeof startJanoFor>> }> {
  const jano = await startJanoFor(t, url, {}, {}, surroundings);
  const toCaller = new Map<string, string>();
  const send = async (name: string, request: Buffer): Promise<void> => {
    const caller = await openRaw(t, jano.port, request);
    toCaller.set(name, sha256(contentOf(await caller.closed())));
  };
  for (const { name, request } of passages) await send(name, request);
  await send('websocket', Buffer.concat([Buffer.from(WEB_SOCKET), FRAMES]));
  await untilRecorded(jano, passages.length + 1);
  return { ...noted(), toCaller, jano };
}

test('with metrics, traces and a log every route carries the same bytes as without, in both directions', async (t) => {
  const backend = await startNoting(t);
  const { telemetry, spans } = testTelemetry();
  const stderr = openSink();

  const watched = await passAll(t, backend, { telemetry, log: new Log(stderr.stream) });
  const unwatched = await passAll(t, backend, { telemetry: createNoTelemetry('it is off') });

  assert.equal(watched.toBackend.size, passages.length + 1);
  assert.deepEqual(watched.toBackend, unwatched.toBackend);
  assert.deepEqual(watched.toCaller, unwatched.toCaller);
  // It was watched indeed.
  const count = passages.length + 1;
  assert.equal(sumOf(await scrape(watched.jano), 'jano_requests_total'), count);
  assert.equal(spans().filter(({ kind }) => kind === SpanKind.SERVER).length, count);
  assert.equal(stderr.text().trim().split('\n').length, count);
  assertTraces(watched, unwatched);
});

/** With traces each request carries one of its own on; without them that of its caller, if it has one. */
function assertTraces(watched: Passed, unwatched: Passed): void {
  const own = [...watched.traces.values()];
  assert.equal(new Set(own).size, own.length);
  for (const trace of own) assert.match(trace, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  const others = [...unwatched.traces.values()].filter((trace) => trace !== 'undefined');
  assert.deepEqual(others, ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01']);
}

/** The whole answer, without the chunks of its way: where one ends depends on what the system reads at once. */
function contentOf(received: string): string {
  const answer = readAnswer(received, 0, 'POST', true);
  return answer.kind === 'read' ? JSON.stringify(answer.value) : received;
}

function headerPairs({ rawHeaders }: IncomingMessage): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    pairs.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  }
  return pairs;
}

function emptyPassed(): Passed {
  return { toBackend: new Map(), toCaller: new Map(), traces: new Map() };
}

function sha256(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
