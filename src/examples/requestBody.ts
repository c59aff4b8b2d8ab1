import type { IncomingMessage } from 'node:http';
import { CONTEXT_TOKENS, RefusedError } from './wire.ts';

/** The JSON object of a request, its values unchecked. */
export type RequestBody = Readonly<Record<string, unknown>>;

const BODY_LIMIT_BYTES = 100 * 1024 * 1024;

/** Reads and parses the whole body; rejects with a RefusedError that tells the caller what is wrong with it. */
export async function readRequestBody(req: IncomingMessage): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > BODY_LIMIT_BYTES) throw new RefusedError(413, 'request body too large');
    chunks.push(chunk);
  }
  const body = parse(Buffer.concat(chunks).toString('utf8'));
  if (!isObject(body)) throw new RefusedError(400, 'expected a JSON object');
  return body;
}

/** Whether a value of unknown shape is an object with keys. */
export function isObject(value: unknown): value is RequestBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Most tokens to generate: what the request asks for, at least 1, and no more than fit behind its input. */
export function readOutputLimit(body: RequestBody, inputTokens: number): number {
  const room = CONTEXT_TOKENS - inputTokens;
  if (room < 1) throw tooLong(inputTokens);
  for (const field of ['max_completion_tokens', 'max_tokens', 'n_predict']) {
    const asked = body[field] ?? null;
    if (asked === null) continue;
    if (typeof asked !== 'number') throw wrongType(field, asked);
    return asked < 0 ? room : Math.min(room, Math.max(1, Math.trunc(asked)));
  }
  return room;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new RefusedError(400, `[json.exception.parse_error.101] parse error: ${cause}`);
  }
}

function tooLong(inputTokens: number): RefusedError {
  const message = `request (${inputTokens} tokens) exceeds the available context size (${CONTEXT_TOKENS} tokens), try increasing it`;
  return new RefusedError(400, message, 'exceed_context_size_error', {
    n_prompt_tokens: inputTokens,
    n_ctx: CONTEXT_TOKENS,
  });
}

function wrongType(field: string, value: unknown): RefusedError {
  return new RefusedError(
    400,
    `Field '${field}': [json.exception.type_error.302] type must be number, but is ${typeof value}`,
  );
}
