import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Ports of the loopback address on which nobody listens now, all different. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listen));
  const ports = servers.map(portOf);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

async function listen(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('server has no port');
  return address.port;
}
