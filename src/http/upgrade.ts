import { IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { sendProblem } from './errors.ts';
import { HeldSocket } from './heldSocket.ts';
import { earlyDataTooLarge } from './problem.ts';

const heldSockets = new WeakMap<IncomingMessage, HeldSocket>();

/** The latest response of each connection. */
const latestResponses = new WeakMap<Socket, ServerResponse>();

/**
 * A request that Node takes for an upgrade only if it asks for a websocket. All else that is offered,
 * such as HTTP/2 by curl and Java, need not be accepted. Node's own `shouldUpgradeCallback` is not
 * there in 22.18.
 */
export class UpgradableRequest extends IncomingMessage {
  /** What the parser says; set by the base class before any field of this one could be. */
  declare private offersUpgrade: boolean | null;

  get upgrade(): boolean {
    if (this.offersUpgrade !== true) return false;
    return this.method === 'CONNECT' || asksForWebSocket(this);
  }

  set upgrade(offersUpgrade: boolean | null) {
    this.offersUpgrade = offersUpgrade;
  }
}

/** To be called for each plain request: one that follows on its connection must wait for its answer. */
export function noteResponse(req: IncomingMessage, res: ServerResponse): void {
  latestResponses.set(req.socket, res);
}

/** Gives requests for a websocket to the server's listener, each with a response as any other has. */
export function takeUpgrades(server: Server, listener: RequestListener): void {
  const sockets = new Set<Socket>();
  server.on('upgrade', (req: IncomingMessage, _stream, head: Buffer) => {
    const { socket } = req;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    listener(req, respondOn(socket, req, head));
  });
  // Node forgets connections that it has handed over, and would wait for them for ever.
  const closeOthers = server.closeAllConnections.bind(server);
  server.closeAllConnections = () => {
    closeOthers();
    for (const socket of sockets) socket.destroy();
  };
}

/** The caller's connection, if the request asks for a websocket. */
export function heldSocketOf(req: IncomingMessage): HeldSocket | undefined {
  return heldSockets.get(req);
}

function asksForWebSocket({ method, httpVersion, headers, socket }: IncomingMessage): boolean {
  if (method !== 'GET' || httpVersion !== '1.1') return false;
  if (headers.upgrade?.trim().toLowerCase() !== 'websocket') return false;
  if (Number(headers['content-length'] ?? 0) > 0) return false;
  if (headers['transfer-encoding'] !== undefined) return false;
  // Pipelined behind a request that is not answered yet: nobody does it, and a plain answer is allowed.
  return latestResponses.get(socket)?.destroyed !== false;
}

/** What Node does for plain requests: a response that owns the connection, and ends it as it closes. */
function respondOn(socket: Socket, req: IncomingMessage, head: Buffer): ServerResponse {
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  // A reset ends the connection, and the response with it.
  socket.on('error', () => undefined);
  socket.on('drain', () => {
    if (!res.writableEnded) res.emit('drain');
  });
  res.assignSocket(socket);
  res.once('finish', () => {
    if (res.statusCode !== 101) socket.destroySoon();
  });
  const refuse = (): void => sendProblem(res, req.url ?? '/', earlyDataTooLarge);
  heldSockets.set(req, new HeldSocket(socket, head, refuse));
  return res;
}
