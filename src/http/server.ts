import { createServer, type RequestListener, type Server } from 'node:http';

const MAX_HEAD_BYTES = 64 * 1024;

/** Longer than what proxies in front keep idle connections for, so that they are the ones to close. */
const KEEP_ALIVE_MS = 75_000;

/** An HTTP server in which no timer of Node's ends a long upload or a long wait. */
export function createHttpServer(listener: RequestListener): Server {
  return createServer(
    { requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: MAX_HEAD_BYTES },
    listener,
  );
}
