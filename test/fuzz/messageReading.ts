/** One header as it stood on the wire, without the blanks around its value. */
export type Header = readonly [name: string, value: string];

/** What a strict reading of RFC 9112 makes of some bytes (as latin1): a part and where it ends, or why there is none. */
export type Reading<T> =
  | { readonly kind: 'read'; readonly value: T; readonly end: number }
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'refused'; readonly why: string };

export interface Head {
  readonly startLine: string;
  readonly headers: readonly Header[];
}

export interface Body {
  readonly content: string;
  readonly trailers: readonly Header[];
}

export const INCOMPLETE = { kind: 'incomplete' } as const;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const CHUNK_SIZE =
  /^(0*[0-9a-f]{1,8})(?:;[\w!#$%&'*+.^`|~-]+(?:=(?:[\w!#$%&'*+.^`|~-]+|"[^"\\\t]*"))?)*$/i;

export function refuse(why: string): { kind: 'refused'; why: string } {
  return { kind: 'refused', why };
}

/** Reads the lines up to the first empty one. */
export function readHead(text: string, from: number): Reading<Head> {
  const end = text.indexOf('\r\n\r\n', from);
  if (end === -1) return INCOMPLETE;
  const [startLine = '', ...lines] = text.slice(from, end).split('\r\n');
  const headers = readLines(lines);
  if (headers === null) return refuse('a header line');
  return { kind: 'read', value: { startLine, headers }, end: end + 4 };
}

/** Reads chunks up to the empty one and the trailers behind it. */
export function readChunks(text: string, from: number): Reading<Body> {
  let content = '';
  let at = from;
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at);
    if (lineEnd === -1) return INCOMPLETE;
    const digits = CHUNK_SIZE.exec(text.slice(at, lineEnd))?.[1];
    if (digits === undefined) return refuse('a chunk size');
    const size = Number.parseInt(digits, 16);
    if (size === 0) return readTrailers(text, lineEnd, content);
    const dataEnd = lineEnd + 2 + size;
    const mark = text.slice(dataEnd, dataEnd + 2);
    if (mark !== '\r\n'.slice(0, mark.length)) return refuse('no line end behind a chunk');
    if (mark.length < 2) return INCOMPLETE;
    content += text.slice(lineEnd + 2, dataEnd);
    at = dataEnd + 2;
  }
}

/** Reads so many bytes. */
export function readLength(text: string, from: number, length: number): Reading<Body> {
  const end = from + length;
  if (end > text.length) return INCOMPLETE;
  return { kind: 'read', value: { content: text.slice(from, end), trailers: [] }, end };
}

/** All values of a header. */
export function valuesOf(headers: readonly Header[], name: string): string[] {
  return headers.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value);
}

/** The items of all values of a header that is a list, in lower case. */
export function itemsOf(headers: readonly Header[], name: string): string[] {
  return valuesOf(headers, name)
    .flatMap((value) => value.split(','))
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '');
}

const OF_ONE_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
];

/** Those headers that are for the other end, and not of one connection. */
export function endToEnd(headers: readonly Header[]): Header[] {
  const dropped = new Set([...OF_ONE_CONNECTION, ...itemsOf(headers, 'connection')]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase()));
}

function readTrailers(text: string, lastLineEnd: number, content: string): Reading<Body> {
  const end = text.indexOf('\r\n\r\n', lastLineEnd);
  if (end === -1) return INCOMPLETE;
  const lines = text.slice(lastLineEnd + 2, end);
  const trailers = end === lastLineEnd ? [] : readLines(lines.split('\r\n'));
  if (trailers === null) return refuse('a trailer line');
  if (trailers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name))) {
    return refuse('a trailer that would frame the body');
  }
  return { kind: 'read', value: { content, trailers }, end: end + 4 };
}

function readLines(lines: readonly string[]): Header[] | null {
  const headers: Header[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon));
    const value = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '');
    if (!NAME.test(name) || !VALUE.test(value)) return null;
    headers.push([name, value]);
  }
  return headers;
}
