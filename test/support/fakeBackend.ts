import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A model server whose every answer the test decides; /health is 200. Closes with the test. Returns its URL. */
export async function startBackend(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer((req, res) => {
    if (req.url === '/health') return void res.end('ok');
    answer(req, res);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return listen(server);
}

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
      if (!first.toString('latin1').startsWith('GET /health ')) return talk(socket, first);
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
    });
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return listen(server);
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return `http://127.0.0.1:${address.port}`;
}
