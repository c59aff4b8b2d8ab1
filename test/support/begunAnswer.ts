import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { startRawBackend } from './fakeBackend.ts';
import { openRaw, type RawConnection } from './rawHttp.ts';
import { type RunningJano, startJanoFor } from './startJano.ts';

/** A request whose answer the test goes on with, or breaks off. */
export interface BegunAnswer {
  readonly jano: RunningJano;
  readonly caller: RawConnection;
  /** The connection on which the request has reached the backend. */
  readonly backend: Socket;
  /** How many requests have. */
  readonly hits: () => number;
}

/** A request that has reached a backend which has said `answer` so far; Jano knows it as one with one slot. */
export async function beginAnswer(t: TestContext, answer: string): Promise<BegunAnswer> {
  const sockets: Socket[] = [];
  const arrival = Promise.withResolvers<Socket>();
  const url = await startRawBackend(t, (socket) => {
    sockets.push(socket);
    socket.write(answer, () => arrival.resolve(socket));
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });
  const head = 'POST /v1/chat/completions HTTP/1.1\r\nHost: jano\r\n\r\n';
  const caller = await openRaw(t, jano.port, head);
  return { jano, caller, backend: await arrival.promise, hits: () => sockets.length };
}
