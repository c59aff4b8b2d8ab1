import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

const LOOPBACK = '127.0.0.1';
/** Below the ports that systems hand out by themselves, which may be gone by the time a server starts. */
const LOWEST = 10_000;
const HIGHEST = 29_999;
const ATTEMPTS = 100;

/** Ports of the loopback address on which nobody listens now, all different; for servers that are started later. */
export async function findFreePorts(count: number): Promise<number[]> {
  const held = new Map<number, Server>();
  for (let attempt = 0; held.size < count && attempt < ATTEMPTS; attempt++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST + 1));
    const server = await tryListen(port);
    if (server !== undefined) held.set(port, server);
  }
  if (held.size < count) throw new Error(`no ${count} free ports on ${LOOPBACK}`);
  await Promise.all([...held.values()].map((server) => once(server.close(), 'close')));
  return [...held.keys()];
}

async function tryListen(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, LOOPBACK);
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
