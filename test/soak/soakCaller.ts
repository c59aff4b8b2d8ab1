import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Errand } from './errand.ts';
import type { SoakMachine } from './soakMachine.ts';

/** What a caller saw of its request. */
export type Seen =
  | { readonly kind: 'whole'; readonly status: number; readonly text: string }
  /** The connection broke, before the head (status null) or after it. */
  | { readonly kind: 'broken'; readonly status: number | null }
  /** The caller left first, with or without Jano having seen its request. */
  | { readonly kind: 'left'; readonly hasArrived: boolean };

/** Makes one request on a connection of its own; resolves when both sides have closed it. */
export async function runErrand(
  machine: SoakMachine,
  caller: string,
  errand: Errand,
): Promise<Seen> {
  const { method, path, headers, body, leaving, shape } = errand;
  await delay(errand.pauseMs);
  const isChunked = shape === 'chunked' || method === 'GET';
  const length = isChunked ? {} : { 'Content-Length': body.length };
  const outgoing = request(machine.jano.url + path, {
    method,
    agent: false,
    headers: { ...headers, ...length, 'X-Caller': caller },
  });
  const { promise, resolve } = Promise.withResolvers<Seen>();
  const leave = (): void => {
    resolve({ kind: 'left', hasArrived: false });
    outgoing.destroy();
  };
  let port = 0;
  outgoing.once('socket', (socket) => {
    socket.once('connect', () => (port = socket.localPort ?? 0));
  });
  outgoing.once('error', () => resolve({ kind: 'broken', status: null }));
  outgoing.once('response', (response) => {
    if (leaving.kind === 'head') leave();
    else receive(response, leaving.kind === 'body' ? leaving.afterChunks : null, leave, resolve);
  });
  if (leaving.kind === 'sending') {
    outgoing.write(body.subarray(0, body.length / 2), leave);
  } else {
    outgoing.end(body);
    if (leaving.kind === 'waiting') void delay(leaving.afterMs).then(leave);
  }
  const seen = await promise;
  outgoing.destroy();
  // Without one there never was a connection.
  const hasArrived = port !== 0 && (await machine.untilClosed(port));
  return seen.kind === 'left' ? { kind: 'left', hasArrived } : seen;
}

function receive(
  response: IncomingMessage,
  leavesAfter: number | null,
  leave: () => void,
  resolve: (seen: Seen) => void,
): void {
  const status = response.statusCode ?? 0;
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    if (chunks.length === leavesAfter) leave();
  });
  response.once('error', () => resolve({ kind: 'broken', status }));
  response.once('end', () => {
    resolve({ kind: 'whole', status, text: Buffer.concat(chunks).toString('utf8') });
  });
}
