/** Headers that belong to one connection and are made anew for the next (RFC 9110 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Dropped towards the backend: Node has answered `Expect`, and request trailers are not passed on. */
const REQUEST_ONLY: ReadonlySet<string> = new Set(['expect', 'trailer']);

/** Name, value, name, value, …: as they stand on the wire. */
export type RawHeaders = readonly string[];

export interface OutgoingHead {
  readonly host: string;
  /** Null when the request has no body and said nothing of one. */
  readonly contentLength: number | null;
  /** Of the config; they replace the caller's. */
  readonly added: Readonly<Record<string, string>>;
  /** Lower-case names that are not passed on. */
  readonly dropped: ReadonlySet<string>;
  /** Whether it asks for a websocket, of which the backend must hear. */
  readonly isUpgrade: boolean;
}

/** Of one connection too, but of both: the backend is to answer to them. */
const UPGRADE: ReadonlySet<string> = new Set(['connection', 'upgrade']);

/** The request's headers for the backend: names, order and duplicates as they came, the framing and Host our own. */
export function requestHeaders(raw: RawHeaders, head: OutgoingHead): string[] {
  const named = namedByConnection(raw);
  const added = new Set(Object.keys(head.added).map((name) => name.toLowerCase()));
  const out: string[] = [];
  let length: number | null = head.contentLength;
  let hasHost = added.has('host');
  for (const [name, value] of pairs(raw)) {
    const lower = name.toLowerCase();
    if (lower === 'host') {
      if (!hasHost) out.push(name, head.host);
      hasHost = true;
    } else if (lower === 'content-length' || lower === 'transfer-encoding') {
      if (length !== null)
        out.push(lower === 'content-length' ? name : 'Content-Length', `${length}`);
      length = null;
    } else if (head.isUpgrade && UPGRADE.has(lower)) {
      out.push(name, value);
    } else if (
      !HOP_BY_HOP.has(lower) &&
      !REQUEST_ONLY.has(lower) &&
      !named.has(lower) &&
      !added.has(lower) &&
      !head.dropped.has(lower)
    ) {
      out.push(name, value);
    }
  }
  if (!hasHost) out.unshift('Host', head.host);
  if (length !== null) out.push('Content-Length', `${length}`);
  for (const [name, value] of Object.entries(head.added)) out.push(name, value);
  return out;
}

/** The answer's headers for the caller: all that are not of the backend's connection, as they came. */
export function answerHeaders(raw: RawHeaders): string[] {
  const named = namedByConnection(raw);
  return pairs(raw).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    return HOP_BY_HOP.has(lower) || named.has(lower) ? [] : [name, value];
  });
}

/** Names that a Connection header declares to be of this connection only. */
function namedByConnection(raw: RawHeaders): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [name, value] of pairs(raw)) {
    if (name.toLowerCase() !== 'connection') continue;
    for (const token of value.split(',')) names.add(token.trim().toLowerCase());
  }
  return names;
}

function pairs(raw: RawHeaders): [string, string][] {
  const out: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) out.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return out;
}
