import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A connection of which the test writes and reads every byte. */
export interface RawConnection {
  readonly socket: Socket;
  /** Everything that has arrived so far, as latin1. */
  received(): string;
  /** Resolves when what has arrived satisfies the test; rejects when the connection ends before. */
  until(isEnough: (received: string) => boolean): Promise<string>;
  /** Resolves with everything once the other side has closed, however it did. */
  closed(): Promise<string>;
}

/** Connects to a port on this machine and sends `bytes`; the connection ends with the test. */
export async function openRaw(
  t: TestContext,
  port: number,
  bytes: string | Buffer,
): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1' });
  t.after(() => socket.destroy());
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => (received += chunk.toString('latin1')));
  await once(socket, 'connect');
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  const closing = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return {
    socket,
    received: () => received,
    async until(isEnough) {
      while (!isEnough(received)) {
        const next = await Promise.race([once(socket, 'data'), closing.then(() => null)]);
        if (next === null && !isEnough(received)) {
          throw new Error(`the connection ended after ${JSON.stringify(received)}`);
        }
      }
      return received;
    },
    async closed() {
      await closing;
      return received;
    },
  };
}
