import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { awaitsContinue } from './body/readBody.ts';
import { pathOf } from './requestPath.ts';
import { noteResponse, takeUpgrades, UpgradableRequest } from './upgrade.ts';

const MAX_HEAD_BYTES = 64 * 1024;

/** Longer than what proxies in front keep idle connections for, so that they are the ones to close. */
const KEEP_ALIVE_MS = 75_000;

/** An HTTP server in which no timer of Node's ends a long upload or a long wait. `req.url` is always a path. */
export function createHttpServer(listener: RequestListener): Server {
  const listen: RequestListener = (req, res) => {
    // Express takes whole URLs apart by itself, and gives up on some.
    req.url = pathOf(req.url ?? '/');
    if (res.socket !== null) return listener(req, res);
    // Pipelined behind another: before its turn Node 22 would not tell that the caller has left.
    res.once('socket', () => listener(req, res));
  };
  const options = {
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEAD_BYTES,
    IncomingMessage: UpgradableRequest,
  };
  const server = createServer(options);
  // Else those beyond the 2000th are as good as not there, and with them perhaps the Content-Length.
  server.maxHeadersCount = 0;
  const take: RequestListener = (req, res) => {
    noteResponse(req, res);
    listen(req, res);
  };
  server.on('request', take);
  // Who asks before it sends its body is told to once nothing speaks against it.
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    res.once('finish', () => {
      // Whether a caller that was not told to sends its body all the same cannot be known.
      if (awaitsContinue(req) && !req.complete) req.socket.end();
    });
    take(req, res);
  });
  takeUpgrades(server, listen);
  return server;
}
