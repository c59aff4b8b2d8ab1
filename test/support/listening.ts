import { once } from 'node:events';
import type { Server } from 'node:net';

/** Has it listen, on a free port of the loopback address unless told otherwise; gives the port. */
export async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  server.listen({ port, host, backlog: 4096 });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return address.port;
}
