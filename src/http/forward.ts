import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { Readable } from 'node:stream';
import type { RequestHandler, Response } from 'express';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import type { Tracing } from '../core/tracing.ts';
import { breakOff, limitSilence, streamBack, type StreamParts } from './answer.ts';
import { type Admitted, exchangeOf } from './exchange.ts';
import { requestHeaders } from './headers.ts';
import { heldSocketOf } from './upgrade.ts';
import { openWebSocket } from './webSocket.ts';

export interface ForwardParts extends StreamParts {
  /** First byte, and between two bytes; 0 = no limit. */
  readonly requestMs: number;
  readonly tracing: Tracing;
}

/** Reached only when a request was not admitted; nothing listens there. */
const NOWHERE = new URL('http://127.0.0.1:9');

/** Sends an admitted request to its backend and streams the answer back, byte for byte, tapping it on the way. */
export function createForward(parts: ForwardParts): RequestHandler {
  const agents = createAgents();
  const proxy = createProxyMiddleware<IncomingMessage, Response>({
    target: NOWHERE,
    selfHandleResponse: true,
    // Its own plugins end a cut answer as if it were whole, with an error text inside.
    ejectPlugins: true,
    plugins: [createPlugin(parts)],
    router(req, _res, options) {
      const exchange = exchangeOf(req);
      const target = new URL(exchange.turn.backend.url);
      options.buffer = replay(exchange);
      options.agent = target.protocol === 'https:' ? agents.secure : agents.plain;
      return target;
    },
  });
  return async function forward(req, res) {
    // The real path is set on the outgoing request; this one only has to pass for a URL.
    req.url = '/';
    // With it the middleware would skip the hook that sets the head.
    delete req.headers.expect;
    // Express must not see its errors: it would close the connection on which the answer has just been sent.
    await proxy(req, res, (error) => breakOff(error, exchangeOf(req), res, parts.suspect));
  };
}

/** A fresh connection for each request: a kept one may be closed by the backend just as it is used, and a POST cannot be sent twice. */
function createAgents(): { plain: Agent; secure: SecureAgent } {
  const options = { keepAlive: false, maxSockets: Number.POSITIVE_INFINITY };
  return { plain: new Agent(options), secure: new SecureAgent(options) };
}

/** The held body as a stream; each chunk is let go as it is sent. */
function replay({ body }: Admitted): Readable {
  return Readable.from(body?.drain() ?? [], { objectMode: false });
}

function createPlugin(parts: ForwardParts): Plugin<IncomingMessage, Response> {
  return (proxy) => {
    proxy.on('proxyReq', (backendReq, req, res) => {
      const exchange = exchangeOf(req);
      try {
        const traceHeaders = parts.tracing.requestForwarded(exchange.id, parts.now());
        sendHead(backendReq, req, exchange, traceHeaders);
        exchange.overhead.pause();
      } catch (error) {
        breakOff(error, exchange, res, parts.suspect);
        backendReq.destroy();
      }
      backendReq.once('upgrade', (backendRes, _socket, head) => {
        const held = heldSocketOf(req);
        if (held !== undefined) openWebSocket(backendRes, head, held, res, exchange, parts);
        else streamBack(backendRes, res, exchange, parts);
      });
      if (parts.requestMs > 0) limitSilence(backendReq, res, exchange, parts.requestMs);
    });
    proxy.on('proxyRes', (backendRes, req, res) => {
      streamBack(backendRes, res, exchangeOf(req), parts);
    });
    // It may come twice for one request.
    proxy.on('error', (error, req, res) => {
      if (req === undefined || res === undefined || !('writeHead' in res)) return;
      breakOff(error, exchangeOf(req), res, parts.suspect);
    });
  };
}

function sendHead(
  backendReq: ClientRequest,
  req: IncomingMessage,
  exchange: Admitted,
  traceHeaders: Readonly<Record<string, string>>,
): void {
  const { url, headers } = exchange.turn.backend;
  const { host, pathname } = new URL(url);
  const base = pathname === '/' || exchange.backendPath === '*' ? '' : pathname;
  const head = requestHeaders(req.rawHeaders, {
    host,
    contentLength: exchange.bodyLength,
    added: { ...headers, ...traceHeaders },
    dropped: exchange.privateHeaders,
    isUpgrade: heldSocketOf(req) !== undefined,
  });
  storeHead(backendReq, `${exchange.method} ${base}${exchange.backendPath} HTTP/1.1\r\n`, head);
}

/**
 * Only Node's own method writes a head just as it is given: `setHeader` puts duplicates together. It is
 * what `request` calls for an array of headers, and `writeHead`; the middleware hands over an object.
 */
function storeHead(request: ClientRequest, firstLine: string, headers: readonly string[]): void {
  // Else a method that Node does not know to be without a body gets an empty chunked one.
  request.useChunkedEncodingByDefault = false;
  const store: unknown = Reflect.get(request, '_storeHeader');
  if (typeof store !== 'function') throw new Error('this Node cannot store a raw head');
  Reflect.apply(store, request, [firstLine, headers]);
}
