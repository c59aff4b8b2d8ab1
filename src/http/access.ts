import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { apiKeyOf } from './caller.ts';

/** Who may ask. */
export type Access =
  | {
      readonly kind: 'allowed';
      readonly keyName: string | null;
      /** Headers that held a key of Jano's and must not reach a backend. */
      readonly privateHeaders: ReadonlySet<string>;
    }
  | { readonly kind: 'denied' };

const openToAll: Access = { kind: 'allowed', keyName: null, privateHeaders: new Set() };
const keyHeaders: ReadonlySet<string> = new Set(['authorization', 'x-api-key']);

/** Checks requests against the configured keys (name to key); without any, all may ask. */
export function createAccess(
  keys: Readonly<Record<string, string>>,
): (req: IncomingMessage) => Access {
  const known = Object.entries(keys).map(([name, key]) => ({ name, digest: digestOf(key) }));
  if (known.length === 0) return () => openToAll;
  return (req) => {
    const given = digestOf(apiKeyOf(req) ?? '');
    const match = known.find(({ digest }) => timingSafeEqual(digest, given));
    if (match === undefined) return { kind: 'denied' };
    return { kind: 'allowed', keyName: match.name, privateHeaders: keyHeaders };
  };
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
