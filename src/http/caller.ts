import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const LONGEST = 120;

/** Headers in which known programs say which of their sessions asks. */
const SESSION_HEADERS = [
  'x-session-id',
  'session_id',
  'x-conversation-id',
  'x-openwebui-chat-id',
  'x-openwebui-user-id',
];

/**
 * Who asks: the configured header, else the name or fingerprint of the API key, else a known session
 * header, else program and address. Never the key itself.
 */
export function callerOf(req: IncomingMessage, header: string, keyName: string | null): string {
  const named = text(req, header);
  if (named !== undefined) return named;
  if (keyName !== null) return keyName;
  const key = apiKeyOf(req);
  if (key !== undefined) return `key:${fingerprint(key)}`;
  for (const name of SESSION_HEADERS) {
    const session = text(req, name);
    if (session !== undefined) return session;
  }
  const program = text(req, 'user-agent') ?? 'unknown';
  return `${program} ${req.socket.remoteAddress ?? ''}`.trim();
}

/** The key of `Authorization: Bearer …` or `x-api-key`; undefined when there is none. */
export function apiKeyOf(req: IncomingMessage): string | undefined {
  const bearer = /^Bearer\s+(\S.*)$/i.exec(req.headers.authorization ?? '');
  return bearer?.[1]?.trim() ?? text(req, 'x-api-key');
}

function fingerprint(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

/** A header's value, fit to be shown; undefined when it is not there or empty. */
function text(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name.toLowerCase()];
  const first = Array.isArray(value) ? value[0] : value;
  return first?.trim().slice(0, LONGEST) || undefined;
}
