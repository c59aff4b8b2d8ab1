import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { apiKeysOf } from './caller.ts';

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

/** Checks requests against the configured keys (name to key); without any, all may ask. */
export function createAccess(
  keys: Readonly<Record<string, string>>,
): (req: IncomingMessage) => Access {
  const known = Object.entries(keys).map(([name, key]) => ({ name, digest: digestOf(key) }));
  if (known.length === 0) return () => openToAll;
  return (req) => {
    const matches = apiKeysOf(req).flatMap(({ header, value }) => {
      const given = digestOf(value);
      const match = known.find(({ digest }) => timingSafeEqual(digest, given));
      return match === undefined ? [] : [{ header, name: match.name }];
    });
    const [first] = matches;
    if (first === undefined) return { kind: 'denied' };
    const privateHeaders = new Set(matches.map(({ header }) => header));
    return { kind: 'allowed', keyName: first.name, privateHeaders };
  };
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
