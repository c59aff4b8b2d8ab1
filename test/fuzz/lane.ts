import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setImmediate as nextStep } from 'node:timers/promises';
import type { RequestRecord } from '../../src/core/record.ts';
import { askStatus } from '../rig/polling.ts';
import { assertIdle } from '../support/aftermath.ts';
import { startRawBackend } from '../support/fakeBackend.ts';
import { type RunningJano, startJano } from '../support/startJano.ts';
import { readConversation } from './requestReading.ts';

/** What a caller does: writes pieces, step by step, and ends its connection in some way. */
export interface Call {
  readonly pieces: readonly string[];
  /** `wait`: once it has its answers. The others: at once. */
  readonly ending: 'wait' | 'halfClose' | 'close' | 'reset';
  /** Whether it has all answers that it waits for. */
  readonly hasAll: (received: string) => boolean;
}

/** What came of it. All bytes as latin1. */
export interface Aftermath {
  /** What the caller got. */
  readonly received: string;
  /** What the backend got, one text a connection, and what it answered to each. */
  readonly arrivals: readonly Arrival[];
  /** The records it made, oldest first. */
  readonly records: readonly RequestRecord[];
}

export interface Arrival {
  got: string;
  answered: string | null;
}

/** What the backend answers to a request, and whether it then resets the connection instead of closing it. */
export interface RawAnswer {
  readonly pieces: readonly string[];
  readonly isReset: boolean;
}

/** Jano with a backend of which every byte is seen; one call at a time. */
export interface Lane {
  readonly jano: RunningJano;
  readonly backendHost: string;
  play(call: Call): Promise<Aftermath>;
}

/** Nothing takes so long but what hangs. */
const HANGS_AFTER_MS = 30_000;

export async function openLane(
  t: TestContext,
  answer: (request: string) => RawAnswer,
): Promise<Lane> {
  const arrivals: Arrival[] = [];
  const backendSockets = new Set<Socket>();
  const url = await startRawBackend(t, (socket, first) => {
    backendSockets.add(socket);
    socket.once('close', () => backendSockets.delete(socket));
    arrivals.push(receive(socket, first, answer));
  });
  const model = { name: 'tiny-chat', aliases: ['tiny-tool', 'tiny-embed', 'tiny-rerank'], url };
  const jano = await startJano(t, {
    models: [{ ...model, pinned: true }],
    default: 'tiny-chat',
  });
  const callerSockets = new Set<Socket>();
  let accepted = 0;
  jano.server.on('connection', (socket) => {
    accepted += 1;
    callerSockets.add(socket);
    socket.once('close', () => callerSockets.delete(socket));
  });
  let lastId = 0;
  return {
    jano,
    backendHost: new URL(url).host,
    async play(call) {
      arrivals.length = 0;
      const before = accepted;
      const received = await within('the connection ends', talk(jano.port, call));
      const hasLeft = () => accepted > before && callerSockets.size === 0;
      await within('Jano has closed the connection', untilTrue(hasLeft));
      // Whatever Jano has still sent has arrived when a later connection is answered.
      if (call.ending !== 'wait') await askStatus(`${url}/health`);
      const isOver = () => backendSockets.size === 0 && isIdle(jano);
      await within('Jano is idle', untilTrue(isOver));
      const { ledger } = jano.snapshot();
      const records = ledger.requests.newest(200).filter(({ id }) => id > lastId);
      lastId = Math.max(lastId, ...records.map(({ id }) => id));
      return { received, arrivals: [...arrivals], records: records.toReversed() };
    },
  };
}

function receive(socket: Socket, first: Buffer, answer: (request: string) => RawAnswer): Arrival {
  const arrival: Arrival = { got: '', answered: null };
  const take = (chunk: Buffer): void => {
    arrival.got += chunk.toString('latin1');
    if (arrival.answered !== null || readConversation(arrival.got).requests.length === 0) return;
    const { pieces, isReset } = answer(arrival.got);
    arrival.answered = pieces.join('');
    void send(socket, pieces).then(() => (isReset ? socket.resetAndDestroy() : socket.end()));
  };
  socket.on('data', take);
  take(first);
  return arrival;
}

async function talk(port: number, { pieces, ending, hasAll }: Call): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let received = '';
  socket.on('error', () => undefined).on('end', () => socket.end());
  const endIfDone = (): void => {
    if (ending === 'wait' && hasAll(received)) socket.end();
  };
  await once(socket, 'connect');
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    endIfDone();
  });
  await send(socket, pieces);
  if (ending === 'halfClose') socket.end();
  else if (ending === 'close') socket.destroy();
  else if (ending === 'reset') socket.resetAndDestroy();
  endIfDone();
  await closed;
  return received;
}

async function send(socket: Socket, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    socket.write(Buffer.from(piece, 'latin1'));
    await nextStep();
  }
}

function isIdle(jano: RunningJano): boolean {
  try {
    assertIdle(jano);
    return true;
  } catch {
    return false;
  }
}

async function untilTrue(holds: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 2 * HANGS_AFTER_MS;
  while (!holds() && performance.now() < giveUpAt) await nextStep();
}

async function within<T>(what: string, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const problem = new Error(`it hangs: waited in vain until ${what}`);
  const limit = setTimeout(() => reject(problem), HANGS_AFTER_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(limit);
  }
}
