import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { startRawBackend } from './fakeBackend.ts';
import { openRaw, type RawConnection } from './rawHttp.ts';
import { type RawConfig, type RunningJano, startJanoFor } from './startJano.ts';

/** A caller's request for a websocket. */
export const ASKING =
  'GET /v1/realtime?model=qwen HTTP/1.1\r\nHost: jano\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n\r\n';

/** A backend's consent. */
export const AGREEING =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

/** Jano with one slot in front of a backend that agrees to nothing by itself. */
export interface WebSocketRig {
  readonly jano: RunningJano;
  /** The next connection that a request has reached the backend on. */
  next(): Promise<Arrival>;
  /** How many have. */
  readonly hits: () => number;
  /** An open websocket. */
  open(t: TestContext): Promise<{ caller: RawConnection; backend: Socket }>;
}

export interface Arrival {
  readonly socket: Socket;
  /** Head, and what came with it. */
  readonly request: Buffer;
}

export async function startWebSocketRig(
  t: TestContext,
  config: RawConfig = {},
): Promise<WebSocketRig> {
  const arrived: Arrival[] = [];
  const awaited: ((arrival: Arrival) => void)[] = [];
  let hits = 0;
  const url = await startRawBackend(t, (socket, request) => {
    hits += 1;
    socket.allowHalfOpen = true;
    const arrival = { socket, request };
    const take = awaited.shift();
    if (take === undefined) arrived.push(arrival);
    else take(arrival);
  });
  const jano = await startJanoFor(t, url, config, { parallel: 1 });
  const next = async (): Promise<Arrival> =>
    arrived.shift() ?? new Promise((resolve) => awaited.push(resolve));
  return {
    jano,
    next,
    hits: () => hits,
    async open(test) {
      const caller = await openRaw(test, jano.port, ASKING);
      const { socket: backend } = await next();
      backend.write(AGREEING);
      await caller.until((text) => text.endsWith('\r\n\r\n'));
      return { caller, backend };
    },
  };
}
