import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { headerText } from './headerText.ts';

const LONGEST = 120;

/** Whoever configures one of these as the name of callers gets the name or fingerprint of the key in it. */
const KEY_HEADERS: ReadonlySet<string> = new Set(['authorization', 'x-api-key']);

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
  const keys = apiKeysOf(req);
  const [key] = keys;
  const named = KEY_HEADERS.has(header.toLowerCase()) ? undefined : text(req, header);
  // Who puts its key there would see it in /usage, and so would everybody else.
  const isKey = keys.some(({ value }) => value.slice(0, LONGEST) === named);
  if (named !== undefined && !isKey) return named;
  if (keyName !== null) return keyName;
  if (key !== undefined) return `key:${fingerprint(key.value)}`;
  for (const name of SESSION_HEADERS) {
    const session = text(req, name);
    if (session !== undefined) return session;
  }
  const program = text(req, 'user-agent') ?? 'unknown';
  return `${program} ${req.socket.remoteAddress ?? ''}`.trim();
}

/** A key that a request shows, and the header that holds it. */
export interface ApiKey {
  readonly header: 'authorization' | 'x-api-key';
  readonly value: string;
}

/** The keys of `Authorization: Bearer …` and `x-api-key`. */
export function apiKeysOf(req: IncomingMessage): ApiKey[] {
  const bearer = /^Bearer\s+(\S.*)$/i.exec(headerText(req, 'authorization') ?? '')?.[1];
  const other = headerText(req, 'x-api-key');
  return [
    ...(bearer === undefined ? [] : [{ header: 'authorization', value: bearer } as const]),
    ...(other === undefined ? [] : [{ header: 'x-api-key', value: other } as const]),
  ];
}

function fingerprint(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

/** A header's value, short enough to be shown. */
function text(req: IncomingMessage, name: string): string | undefined {
  const value = headerText(req, name)?.slice(0, LONGEST);
  // A slice would keep all of the header in memory, for as long as its caller is remembered.
  return value === undefined ? undefined : Buffer.from(value).toString();
}
