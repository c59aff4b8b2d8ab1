import type { ServerResponse } from 'node:http';
import type { RejectedError } from '../dispatch/rejectedError.ts';
import { discardUnread } from './body/unreadBody.ts';
import type { Problem } from './problem.ts';

/** Sends a problem in the shape that callers of this path expect; does nothing once a head is out. */
export function sendProblem(res: ServerResponse, path: string, problem: Problem): void {
  if (res.headersSent || res.destroyed) return;
  discardUnread(res.req, res);
  const body = JSON.stringify(shapeFor(path)(problem));
  const { retryAfterSeconds } = problem;
  if (retryAfterSeconds != null) res.setHeader('Retry-After', retryAfterSeconds);
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Content-Length', Buffer.byteLength(body));
  // A reason phrase of a backend that could not be sent sticks to the response.
  res.statusMessage = '';
  res.statusCode = problem.status;
  res.end(body);
}

/** What a caller is told when its request was never sent to a backend. */
export function problemOf(rejection: RejectedError, method: string): Problem {
  const { reason, message, retryAfterSeconds } = rejection;
  const isPreflight = reason === 'not_resident' && method === 'OPTIONS';
  return { status: isPreflight ? 404 : 503, code: reason, message, retryAfterSeconds };
}

function shapeFor(path: string): (problem: Problem) => object {
  if (/^\/v1\/messages(?:[/?]|$)/.test(path)) return anthropicShape;
  if (path.startsWith('/api/')) return ollamaShape;
  return openaiShape;
}

function openaiShape({ status, code, message }: Problem): object {
  const type = status === 401 ? 'authentication_error' : openaiType(status);
  return { error: { message, type, param: null, code } };
}

function openaiType(status: number): string {
  return status < 500 ? 'invalid_request_error' : 'server_error';
}

const anthropicTypes: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
]);

function anthropicShape({ status, message }: Problem): object {
  return { type: 'error', error: { type: anthropicTypes.get(status) ?? 'api_error', message } };
}

function ollamaShape({ message }: Problem): object {
  return { error: message };
}
