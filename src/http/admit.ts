import type { Request, RequestHandler, Response } from 'express';
import { JsonFields } from '../core/body/jsonFields.ts';
import type { Recorder } from '../core/record.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import { RejectedError } from '../dispatch/rejectedError.ts';
import type { Access } from './access.ts';
import { callerOf } from './caller.ts';
import { problemOf, sendProblem } from './errors.ts';
import { type Admitted, type Exchange, openExchange, runningOf } from './exchange.ts';
import { bodyTooLarge, type Problem } from './problem.ts';
import { recordOf } from './recordOf.ts';
import { announcesBody, holdBody } from './requestBody.ts';
import { pathOf, withoutQuery } from './requestPath.ts';
import { findTarget, type TargetParts } from './target.ts';

export interface AdmitParts extends TargetParts {
  readonly dispatcher: Dispatcher;
  readonly recorder: Recorder;
  readonly now: () => number;
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
      path: pathOf(req.originalUrl),
      caller: callerOf(req, parts.callerHeader, access.kind === 'allowed' ? access.keyName : null),
      privateHeaders: access.kind === 'allowed' ? access.privateHeaders : new Set(),
    });
    // The single end of every request, however it ends.
    res.once('close', () => close(parts, exchange, res));
    if ((await place(parts, exchange, req, res)) && !res.destroyed) next();
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
  const body = await holdBody(req, res, parts.bodyLimitBytes, (chunk) => fields.push(chunk));
  if (body.kind === 'left') return false;
  if (body.kind === 'tooLarge') return refuse(exchange, res, bodyTooLarge(parts.bodyLimitBytes));
  exchange.body = body.chunks;
  exchange.bodyLength = announcesBody(req) ? body.length : lengthOfNone(exchange.method);
  const target = findTarget(parts, {
    path: exchange.path,
    modelHeader: req.get('x-model'),
    fields,
    isMalformedJson: () => isJson(req) && body.length > 0 && !isWhole(fields, body.chunks),
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
  const ending = { reply: reading.reply, hasServed: exchange.hasAnswer };
  parts.dispatcher.release(exchange.id, ending);
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

function isJson(req: Request): boolean {
  const type = req.get('content-type');
  return type === undefined || /^[^;]*\bjson\b/i.test(type);
}

function isWhole(fields: JsonFields, chunks: readonly Buffer[]): boolean {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (length > PARSE_LIMIT_BYTES) return fields.isClosed;
  try {
    JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
