import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Backend } from '../core/backend.ts';

/** What a backend answered to a question of Jano's own. */
export interface Answer {
  readonly status: number;
  /** At most its first 1 Mi characters; what came of it when it broke off. */
  readonly body: string;
}

const BODY_CHARACTERS = 2 ** 20;

/** The address of a path on the backend, below the path of the backend's own URL. */
export function toAddress(backend: Backend, path: string): string {
  return backend.url + (path.startsWith('/') ? path : `/${path}`);
}

/** Gets a path of the backend, following no redirect; rejects when no answer began before `limit` fired. */
export async function askBackend(
  backend: Backend,
  path: string,
  limit: AbortSignal,
): Promise<Answer> {
  const response = await get(backend, path, limit);
  return { status: response.statusCode ?? 0, body: await readBody(response) };
}

/**
 * Not by fetch: that refuses to ask at ports such as 6000 and 6666, and leaves a connection open
 * that costs llama-server a thread and can break under the next question.
 */
function get(backend: Backend, path: string, limit: AbortSignal): Promise<IncomingMessage> {
  const address = toAddress(backend, path);
  const options = { agent: false, headers: backend.headers, signal: limit };
  return new Promise((resolve, reject) => {
    const request = (address.startsWith('https:') ? https : http).get(address, options, resolve);
    request.on('error', reject);
    request.on('close', () => reject(new Error('the connection was closed')));
  });
}

async function readBody(response: IncomingMessage): Promise<string> {
  let body = '';
  try {
    for await (const text of response.setEncoding('utf8')) {
      body += text;
      if (body.length >= BODY_CHARACTERS) break;
    }
  } catch {
    // Status and text seen so far say enough.
  }
  return body.slice(0, BODY_CHARACTERS);
}
