import type { Request, RequestHandler, Response } from 'express';
import type { KnownIds } from '../core/knownIds.ts';
import type { Tracing } from '../core/tracing.ts';
import { RejectedError, stopping } from '../dispatch/rejectedError.ts';
import type { Access } from './access.ts';
import type { BodyReader } from './body/bodyReader.ts';
import { createBodyReader } from './body/createBodyReader.ts';
import { announcesBody, type BodyLimits, readBody } from './body/readBody.ts';
import { callerOf } from './caller.ts';
import { problemOf, sendProblem } from './errors.ts';
import { closeExchange, type ClosingParts } from './closing.ts';
import { type Admitted, type Exchange, openExchange, runningOf } from './exchange.ts';
import { headerText } from './headerText.ts';
import { answersWithId, CONVERSATION_HEADER } from './followUp.ts';
import type { Problem } from './problem.ts';
import { findTarget, type Target, type TargetParts } from './target.ts';
import { heldSocketOf } from './upgrade.ts';
import { isVisit } from './visit.ts';

export interface AdmitParts extends TargetParts, BodyLimits, ClosingParts {
  readonly tracing: Tracing;
  readonly callerHeader: string;
}

/** Reads the body, finds the model in it, and holds the request until it is its turn. */
export function createAdmit(parts: AdmitParts): RequestHandler {
  let lastId = 0;
  return async function admit(req, res, next) {
    const access: Access = res.locals['access'];
    const id = ++lastId;
    const arrivedAt = parts.now();
    const exchange = openExchange(req, {
      id,
      traceId: beginTrace(parts.tracing, req, id, arrivedAt),
      arrivedAt,
      path: req.originalUrl,
      caller: callerOf(req, parts.callerHeader, access.kind === 'allowed' ? access.keyName : null),
      privateHeaders: access.kind === 'allowed' ? access.privateHeaders : new Set(),
    });
    parts.open.add(exchange, res);
    res.once('close', () => closeExchange(parts, exchange, res));
    destroyOnHalfClose(req, res);
    if (await place(parts, exchange, req, res)) next();
  };
}

/** Preflights are of nobody's trace: they have no record that would end them. */
function beginTrace(tracing: Tracing, req: Request, id: number, arrivedAt: number): string | null {
  if (req.method === 'OPTIONS') return null;
  const traceparent = headerText(req, 'traceparent');
  return tracing.requestArrived({
    id,
    arrivedAt,
    traceparent,
    // It may come in parts, of which Node makes one.
    tracestate: req.get('tracestate'),
  });
}

/** True once it is the request's turn; false when it was answered here or its caller left. */
async function place(
  parts: AdmitParts,
  exchange: Exchange,
  req: Request,
  res: Response,
): Promise<boolean> {
  if (parts.dispatcher.isStopping) return refuse(exchange, res, problemOf(stopping(), req.method));
  const reader = createBodyReader(req.headers, parts.bodyLimitBytes || Number.POSITIVE_INFINITY);
  const target = await readTarget(parts, exchange, req, res, reader);
  reader.drop();
  if (target === null || res.destroyed) return false;
  if (target.kind === 'unknown') return refuse(exchange, res, target.problem);
  exchange.backendPath = target.path;
  const turn = {
    id: exchange.id,
    backend: target.backend,
    caller: exchange.caller,
    bodyBytes: exchange.body?.length ?? 0,
    causesSwap: heldSocketOf(req) !== undefined || !isVisit(exchange.method, target.path),
    dispatchedAt: null,
    swapMs: 0,
    swapIds: [],
  };
  exchange.turn = turn;
  return waitForTurn(parts, Object.assign(exchange, { turn }), res);
}

/** Reads the body and finds the model; null when the caller left. */
async function readTarget(
  parts: AdmitParts,
  exchange: Exchange,
  req: Request,
  res: Response,
  reader: BodyReader,
): Promise<Target | null> {
  exchange.overhead.pause();
  exchange.reading = readBody(req, res, parts, reader);
  const end = await exchange.reading.ended;
  exchange.overhead.run();
  exchange.reading = null;
  if (end.kind === 'left') return null;
  if (end.kind === 'refused') return { kind: 'unknown', problem: end.problem };
  exchange.body = end.body;
  exchange.bodyLength = announcesBody(req) ? end.body.length : lengthOfNone(exchange.method);
  await reader.finish();
  const conversation = headerText(req, CONVERSATION_HEADER);
  const modelHeader = headerText(req, 'x-model');
  const target = findTarget(parts, {
    path: exchange.path,
    modelHeader,
    conversation,
    body: reader,
  });
  if (target.kind === 'found') noteIds(parts.knownIds, exchange, target, conversation);
  return target;
}

/** What later requests may refer to: the conversation, and the id that the answer will give itself. */
function noteIds(
  knownIds: KnownIds,
  exchange: Exchange,
  { backend: { model }, path }: Extract<Target, { kind: 'found' }>,
  conversation: string | undefined,
): void {
  if (conversation !== undefined) {
    exchange.isResumable = true;
    knownIds.remember(conversation, model);
  }
  if (!answersWithId(exchange.method, path)) return;
  exchange.onAnswerId = (id) => knownIds.remember(id, model);
}

async function waitForTurn(
  { dispatcher }: AdmitParts,
  exchange: Admitted,
  res: Response,
): Promise<boolean> {
  exchange.overhead.pause();
  try {
    await dispatcher.enter(exchange.turn);
  } catch (error) {
    if (!(error instanceof RejectedError)) throw error;
    return refuse(exchange, res, problemOf(error, exchange.method));
  }
  exchange.overhead.run();
  if (res.destroyed) return false;
  dispatcher.track(runningOf(exchange));
  return true;
}

function refuse(exchange: Exchange, res: Response, problem: Problem): false {
  exchange.failure = { outcome: 'rejected', message: problem.message };
  exchange.body?.drop();
  sendProblem(res, exchange.backendPath, problem);
  return false;
}

/** A caller that half-closes has left. Node would first wait until it has read what was sent. */
function destroyOnHalfClose({ socket }: Request, res: Response): void {
  const leave = (): void => {
    if (!res.writableEnded) res.destroy();
  };
  socket.once('end', leave);
  res.once('close', () => socket.off('end', leave));
}

/** A POST that says nothing of a body has an empty one; some backends insist on being told. */
function lengthOfNone(method: string): number | null {
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? 0 : null;
}
