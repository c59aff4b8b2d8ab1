import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { Backend } from '../core/backend.ts';
import { sendProblem } from './errors.ts';
import type { Admitted } from './exchange.ts';
import { answerHeaders } from './headers.ts';
import { backendFailed, backendTooSlow } from './problem.ts';

/** Passes the backend's answer on, as it is and when it comes, and shows it to the tap. */
export function streamBack(
  backendRes: IncomingMessage,
  res: Response,
  exchange: Admitted,
  now: () => number,
): void {
  if (res.headersSent || res.destroyed) {
    backendRes.destroy();
    return;
  }
  exchange.hasAnswer = true;
  exchange.silence?.refresh();
  exchange.isStream = isStream(backendRes.headers['content-type']);
  res.sendDate = false;
  try {
    const headers = answerHeaders(backendRes.rawHeaders);
    res.writeHead(backendRes.statusCode ?? 502, backendRes.statusMessage ?? '', headers);
  } catch (error) {
    // A status or reason that Node cannot send; thrown on, it would end the process.
    backendRes.destroy();
    return fail(exchange, res, `its head cannot be passed on (${messageOf(error)})`);
  }
  backendRes.on('data', (chunk: Buffer) => {
    exchange.firstByteAt ??= now();
    exchange.bytes += chunk.length;
    exchange.silence?.refresh();
    exchange.tap.push(chunk);
  });
  backendRes.once('end', () => {
    if (backendRes.rawTrailers.length > 0) res.addTrailers(trailersOf(backendRes));
  });
  backendRes.once('close', () => {
    if (!backendRes.complete && !res.destroyed) cut(exchange, 'its connection broke mid-answer');
  });
  backendRes.pipe(res);
  // The head must not wait for the first byte, which may be minutes away; often that came with it.
  setImmediate(() => {
    if (exchange.bytes === 0 && !res.destroyed && !res.writableEnded) res.flushHeaders();
  });
}

/** Ends a request of which the backend sends nothing for so long. */
export function limitSilence(
  backendReq: ClientRequest,
  res: Response,
  exchange: Admitted,
  requestMs: number,
): void {
  const silence = setTimeout(() => {
    const problem = backendTooSlow(exchange.turn.backend.model, requestMs);
    if (exchange.hasAnswer) cut(exchange, problem.message);
    else exchange.failure ??= { outcome: 'failed', message: problem.message };
    if (res.headersSent) res.destroy();
    else sendProblem(res, exchange.backendPath, problem);
    backendReq.destroy();
  }, requestMs);
  exchange.silence = silence;
  res.once('close', () => clearTimeout(silence));
}

/** The connection to the backend failed. An answer that has begun is broken off, never ended as if it were whole. */
export function breakOff(
  error: unknown,
  exchange: Admitted,
  res: Response,
  suspect: (backend: Backend) => void,
): void {
  if (res.destroyed || res.writableEnded) return;
  if (res.headersSent) {
    cut(exchange, messageOf(error));
    res.destroy();
    return;
  }
  suspect(exchange.turn.backend);
  fail(exchange, res, messageOf(error));
}

function fail(exchange: Admitted, res: Response, cause: string): void {
  const problem = backendFailed(exchange.turn.backend.model, cause);
  exchange.failure ??= { outcome: 'failed', message: problem.message };
  sendProblem(res, exchange.backendPath, problem);
}

function cut(exchange: Admitted, cause: string): void {
  const message = `the answer of "${exchange.turn.backend.model}" was cut: ${cause}`;
  exchange.failure ??= { outcome: 'cut', message };
}

function trailersOf({ rawTrailers }: IncomingMessage): [string, string][] {
  const trailers: [string, string][] = [];
  for (let at = 0; at + 1 < rawTrailers.length; at += 2) {
    trailers.push([rawTrailers[at] ?? '', rawTrailers[at + 1] ?? '']);
  }
  return trailers;
}

function isStream(contentType: string | undefined): boolean {
  return /^(?:text\/event-stream|application\/x-ndjson)\b/i.test(contentType ?? '');
}

const causes: ReadonlyMap<unknown, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['EPIPE', 'connection closed'],
]);

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && code.startsWith('HPE_')) {
    return `its answer is not valid HTTP (${error.message})`;
  }
  return causes.get(code) ?? error.message;
}
