import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { listen } from './listening.ts';

/** What a backend does with a request. */
export type Answer = (...args: Parameters<RequestListener>) => unknown;

/** A model server whose every answer the test decides; /health is 200. Closes with the test. Returns its URL. */
export async function startBackend(
  t: TestContext,
  answer: Answer,
  { port = 0, host = '127.0.0.1' } = {},
): Promise<string> {
  const server = createServer((req, res) => {
    if (req.url === '/health') return void res.end('ok');
    void answer(req, res);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://${host.includes(':') ? `[${host}]` : host}:${await listen(server, port, host)}`;
}

/** A URL at which nothing listens: no system hands out port 1. */
export const REFUSING_URL = 'http://127.0.0.1:1';

/** A server that speaks bytes: `talk` gets each connection and the request's first bytes. /health is 200. */
export async function startRawBackend(
  t: TestContext,
  talk: (socket: Socket, request: Buffer) => void,
): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    socket.once('data', (first) => {
      if (!/^\w+ \/health /.test(first.toString('latin1'))) return talk(socket, first);
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
    });
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

/** Sends more than all buffers on the way to a caller that does not read can take. */
export async function fill(socket: Socket): Promise<void> {
  const event = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  while (!socket.destroyed && socket.writableLength < 4_000_000) {
    socket.write(event);
    await setImmediate();
  }
}
