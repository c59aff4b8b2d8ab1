import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import type { RequestRecord } from '../../src/core/record.ts';
import { measureFootprint } from '../soak/footprint.ts';
import { untilRecorded } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { startJanoFor } from '../support/startJano.ts';

/** How a stream went through. */
export interface Streamed {
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** How many tokens were generated, as its last event says. */
  readonly tokens: number;
  /** What the process that runs Jano held after a collection, at each tenth of the stream. */
  readonly heldBytes: readonly number[];
  readonly record: RequestRecord;
}

/** What a process holds goes up and down by so much whatever it does. */
export const NOISE_BYTES = 4_000_000;

const MEGABYTE = 1_000_000;
const SAMPLES = 10;

/** As llama-server sends them: one for each token. */
const EVENT =
  'data: {"choices":[{"finish_reason":null,"index":0,"delta":{"content":" word"}}],"created":1764547200,"id":"chatcmpl-1","model":"qwen","object":"chat.completion.chunk"}\n\n';
const EVENTS_PER_WRITE = 400;
const WRITE = Buffer.from(EVENT.repeat(EVENTS_PER_WRITE));

/** Has a stream of so many megabytes pass through Jano; all in this process, where nobody but Jano could keep any of it. */
export async function streamThrough(t: TestContext, megabytes: number): Promise<Streamed> {
  const writes = Math.ceil((megabytes * MEGABYTE) / WRITE.length);
  const tokens = writes * EVENTS_PER_WRITE;
  let sentBytes = 0;
  const url = await startBackend(t, async (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let count = 0; count < writes; count++) {
      sentBytes += WRITE.length;
      if (!res.write(WRITE)) await once(res, 'drain');
    }
    sentBytes += endWith(res, tokens);
  });
  const jano = await startJanoFor(t, url);
  const response = await ask(jano.port);
  const heldBytes: number[] = [];
  let receivedBytes = 0;
  let nextSampleAt = 0;
  response.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (receivedBytes < nextSampleAt) return;
    nextSampleAt += (megabytes * MEGABYTE) / SAMPLES;
    heldBytes.push(measureFootprint().heldBytes);
  });
  await once(response, 'end');
  await untilRecorded(jano, 1);
  const [record] = jano.snapshot().ledger.requests.newest();
  if (record === undefined) throw new Error('it is not recorded');
  return { sentBytes, receivedBytes, tokens, heldBytes, record };
}

/** The last event, and how long it is. */
function endWith(res: ServerResponse, tokens: number): number {
  const usage = `{"prompt_tokens":75,"completion_tokens":${tokens}}`;
  const end = `data: {"choices":[],"usage":${usage}}\n\ndata: [DONE]\n\n`;
  res.end(end);
  return end.length;
}

async function ask(port: number): Promise<IncomingMessage> {
  const outgoing = request({ port, method: 'POST', path: '/v1/chat/completions', agent: false });
  outgoing.end('{"model":"qwen","stream":true}');
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  outgoing.once('response', resolve).once('error', reject);
  return promise;
}
