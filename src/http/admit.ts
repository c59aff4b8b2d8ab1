import type { Request, RequestHandler, Response } from 'express';
import { JsonFields } from '../core/body/jsonFields.ts';
import type { Recorder } from '../core/record.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import { RejectedError } from '../dispatch/rejectedError.ts';
import type { Access } from './access.ts';
import { callerOf } from './caller.ts';
import { problemOf, sendProblem } from './errors.ts';
import { type Admitted, type Exchange, openExchange, runningOf } from './exchange.ts';
import { headerText } from './headerText.ts';
import { bodyTooLarge, type Problem } from './problem.ts';
import { recordOf } from './requestRecord.ts';
import { announcesBody, holdBody } from './requestBody.ts';
import { withoutQuery } from './requestPath.ts';
import { findTarget, type TargetParts } from './target.ts';

export interface AdmitParts extends TargetParts {
  readonly dispatcher: Dispatcher;
  readonly recorder: Recorder;
  readonly now: () => number;
  /** 0 = no limit. */
  readonly bodyLimitBytes: number;
  readonly callerHeader: string;
}

/** Bodies up to this size are parsed whole to tell broken JSON from JSON without a model. */
const PARSE_LIMIT_BYTES = 1024 * 1024;

/** Reads the body, finds the model in it, and holds the request until it is its turn. */
export function createAdmit(parts: AdmitParts): RequestHandler {
  let lastId = 0;
  return async function admit(req, res, next) {
    const access: Access = res.locals['access'];
    const exchange = openExchange(req, {
      id: ++lastId,
      arrivedAt: parts.now(),
      path: req.originalUrl,
      caller: callerOf(req, parts.callerHeader, access.kind === 'allowed' ? access.keyName : null),
      privateHeaders: access.kind === 'allowed' ? access.privateHeaders : new Set(),
    });
    // The single end of every request, however it ends.
    res.once('close', () => close(parts, exchange, res));
    destroyOnHalfClose(req, res);
    if (await place(parts, exchange, req, res)) next();
  };
}

/** True once it is the request's turn; false when it was answered here or its caller left. */
async function place(
  parts: AdmitParts,
  exchange: Exchange,
  req: Request,
  res: Response,
): Promise<boolean> {
  const fields = new JsonFields(['model', 'name']);
  const isForm = /^multipart\//i.test(req.get('content-type') ?? '');
  const limitBytes = parts.bodyLimitBytes || Number.POSITIVE_INFINITY;
  const body = await holdBody(req, res, limitBytes, (chunk) => isForm || fields.push(chunk));
  if (body.kind === 'left' || res.destroyed) return false;
  if (body.kind === 'tooLarge') return refuse(exchange, res, bodyTooLarge(parts.bodyLimitBytes));
  exchange.body = body.chunks;
  exchange.bodyLength = announcesBody(req) ? body.length : lengthOfNone(exchange.method);
  const target = findTarget(parts, {
    path: exchange.path,
    modelHeader: headerText(req, 'x-model'),
    fields,
    isMalformedJson: () => isMalformed(req, fields, body.chunks),
  });
  if (target.kind === 'unknown') return refuse(exchange, res, target.problem);
  exchange.backendPath = target.path;
  const turn = {
    id: exchange.id,
    backend: target.backend,
    caller: exchange.caller,
    bodyBytes: body.length,
    causesSwap: causesSwap(exchange.method, target.path),
    dispatchedAt: null,
    swapMs: 0,
  };
  exchange.turn = turn;
  return waitForTurn(parts, Object.assign(exchange, { turn }), res);
}

async function waitForTurn(
  { dispatcher }: AdmitParts,
  exchange: Admitted,
  res: Response,
): Promise<boolean> {
  try {
    await dispatcher.enter(exchange.turn);
  } catch (error) {
    if (!(error instanceof RejectedError)) throw error;
    return refuse(exchange, res, problemOf(error, exchange.method));
  }
  if (res.destroyed) return false;
  dispatcher.track(runningOf(exchange));
  return true;
}

function refuse(exchange: Exchange, res: Response, problem: Problem): false {
  exchange.failure = { outcome: 'rejected', message: problem.message };
  exchange.body = [];
  sendProblem(res, exchange.backendPath, problem);
  return false;
}

function close(parts: AdmitParts, exchange: Exchange, res: Response): void {
  const reading = exchange.tap.read();
  exchange.body = [];
  if (exchange.method !== 'OPTIONS') {
    parts.recorder.requestClosed(recordOf(exchange, res, reading.usage, parts.now()));
  }
  const ending = { reply: reading.reply, hasServed: exchange.answer !== null };
  parts.dispatcher.release(exchange.id, ending);
}

/** A caller that half-closes has left. Node would first wait until it has read what was sent. */
function destroyOnHalfClose({ socket }: Request, res: Response): void {
  const leave = (): void => {
    if (!res.writableEnded) res.destroy();
  };
  socket.once('end', leave);
  res.once('close', () => socket.off('end', leave));
}

/** What only looks, or only describes, loads nothing. */
function causesSwap(method: string, path: string): boolean {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return false;
  return !(method === 'POST' && withoutQuery(path) === '/api/show');
}

/** A POST that says nothing of a body has an empty one; some backends insist on being told. */
function lengthOfNone(method: string): number | null {
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? 0 : null;
}

/** Whether a body that is JSON, by its type or its first byte, is broken. */
function isMalformed(req: Request, fields: JsonFields, chunks: readonly Buffer[]): boolean {
  const [first] = chunks;
  if (first === undefined) return false;
  const isObject = /^\uFEFF?\s*\{/.test(first.toString('utf8', 0, 256));
  if (!isObject && !/^[^;]*\bjson\b/i.test(req.get('content-type') ?? '')) return false;
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (length > PARSE_LIMIT_BYTES) return isObject && !fields.isClosed;
  try {
    JSON.parse(new TextDecoder().decode(Buffer.concat(chunks)));
    return false;
  } catch {
    return true;
  }
}
