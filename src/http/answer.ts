import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { Backend } from '../core/backend.ts';
import { AnswerId } from '../core/body/answerId.ts';
import { isEndless, limitStream, type SilenceParts } from './endlessStream.ts';
import { sendProblem } from './errors.ts';
import type { Admitted, Exchange } from './exchange.ts';
import { answerHeaders } from './headers.ts';
import { backendFailed, backendTooSlow } from './problem.ts';

export interface StreamParts extends SilenceParts {
  /** The backend broke: its health should be asked. */
  readonly suspect: (backend: Backend) => void;
}

/** Passes the backend's answer on, as it is and when it comes, and shows it to the tap. */
export function streamBack(
  backendRes: IncomingMessage,
  res: Response,
  exchange: Admitted,
  parts: StreamParts,
): void {
  const { now, suspect } = parts;
  exchange.overhead.run();
  // Only 101 gets here: nothing was to be switched to.
  if (Number(backendRes.statusCode) < 200) {
    backendRes.destroy();
    return fail(exchange, res, `${backendRes.statusCode} is no final status`);
  }
  if (!passHead(backendRes, res, exchange, answerHeaders(backendRes.rawHeaders))) return;
  exchange.overhead.pause();
  exchange.tap.begin(backendRes.headers);
  exchange.isStream = isStream(backendRes.headers['content-type']);
  backendRes.on('data', (chunk: Buffer) => {
    const at = now();
    exchange.movedAt = at;
    exchange.firstByteAt ??= at;
    exchange.bytes += chunk.length;
    exchange.silence?.refresh();
    exchange.tap.push(chunk, at);
  });
  watchId(backendRes, exchange);
  backendRes.once('end', () => {
    if (backendRes.rawTrailers.length > 0) res.addTrailers(trailersOf(backendRes));
  });
  if (isEndless(exchange)) limitStream(backendRes, res, exchange, parts);
  // The middleware's own listener comes after this one, and destroys the response before it tells us.
  backendRes.once('error', (error) => breakOff(error, exchange, res, suspect));
  backendRes.pipe(res);
  // The head must not wait for the first byte, which may be minutes away; often that came with it.
  setImmediate(() => {
    // Not flushHeaders, which would write bytes above 0x7f in it as UTF-8.
    if (exchange.bytes === 0 && !res.destroyed && !res.writableEnded) res.write('', 'latin1');
  });
}

/** Seen as it passes: who cancels an answer does so before its end. */
function watchId(backendRes: IncomingMessage, { onAnswerId }: Exchange): void {
  if (onAnswerId === null) return;
  const scan = new AnswerId();
  const watch = (chunk: Buffer): void => {
    const id = scan.push(chunk);
    if (id !== null) onAnswerId(id);
    if (scan.isOver) backendRes.off('data', watch);
  };
  backendRes.on('data', watch);
}

/** Writes the head of the backend's answer; false when there is nobody for it, or no way to. */
export function passHead(
  backendRes: IncomingMessage,
  res: Response,
  exchange: Admitted,
  headers: readonly string[],
): boolean {
  if (res.headersSent || res.destroyed) {
    backendRes.destroy();
    return false;
  }
  exchange.silence?.refresh();
  res.sendDate = false;
  try {
    const { statusCode = 0, statusMessage = '' } = backendRes;
    res.writeHead(statusCode, statusMessage, [...headers]);
  } catch (error) {
    // A status or reason that Node cannot send; thrown on, it would end the process.
    backendRes.destroy();
    fail(exchange, res, `its head cannot be passed on (${messageOf(error)})`);
    return false;
  }
  exchange.answer = backendRes;
  return true;
}

/** Ends a request of which the backend sends nothing for so long. */
export function limitSilence(
  backendReq: ClientRequest,
  res: Response,
  exchange: Admitted,
  requestMs: number,
): void {
  const silence = setTimeout(() => {
    if (isCallerSlow(exchange)) return void silence.refresh();
    exchange.isGivenUp = true;
    const problem = backendTooSlow(exchange.turn.backend.model, requestMs);
    if (exchange.answer === null) {
      exchange.failure ??= { outcome: 'failed', message: problem.message };
      sendProblem(res, exchange.backendPath, problem);
    } else {
      cut(exchange, problem.message);
      res.destroy();
    }
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
  // What breaks after a whole answer, such as a body behind a HEAD's, takes nothing away from it.
  if (res.destroyed || res.writableEnded || exchange.answer?.complete === true) return;
  suspect(exchange.turn.backend);
  if (!res.headersSent) return fail(exchange, res, messageOf(error));
  cut(exchange, messageOf(error));
  res.destroy();
}

/** The backend has sent all that there is, or more than the caller has taken. */
function isCallerSlow({ answer }: Exchange): boolean {
  return answer !== null && (answer.complete || answer.isPaused());
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
