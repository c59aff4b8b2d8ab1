import { METHODS } from 'node:http';
import {
  type Body,
  endToEnd,
  type Head,
  type Header,
  INCOMPLETE,
  itemsOf,
  readChunks,
  readHead,
  type Reading,
  readLength,
  refuse,
  valuesOf,
} from './messageReading.ts';

/** One whole request, as somebody who knows nothing of Node's parser reads it. */
export interface SentRequest {
  readonly method: string;
  /** As sent. */
  readonly target: string;
  readonly version: string;
  readonly headers: readonly Header[];
  readonly content: string;
  /** It says that there is a body, be it an empty one. */
  readonly announcesBody: boolean;
  /** More was done to its body than to cut it into chunks. */
  readonly hasUnknownCoding: boolean;
}

/** The requests that the bytes of one connection hold, and what stands behind them. */
export interface Conversation {
  readonly requests: readonly SentRequest[];
  readonly rest: 'nothing' | 'incomplete' | 'refused' | 'lost';
  readonly why: string;
}

/** Node takes more spaces than one, and these versions; all but 1.1 end after one request unless told otherwise. */
const REQUEST_LINE = /^([A-Z-]+) +([\x21-\x7e]+) +HTTP\/(0\.9|1\.[01]|2\.0)$/;
const TARGET = /^(?:\*|\/|[a-z]+:\/\/.)/i;
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/i;
/** What Jano's server takes. */
const MAX_HEAD_BYTES = 64 * 1024;

export function readConversation(text: string): Conversation {
  const requests: SentRequest[] = [];
  let at = 0;
  for (;;) {
    // Line ends between requests are harmless and allowed (RFC 9112 2.2); Node takes halves of them, too.
    while (text[at] === '\r' || text[at] === '\n') at += 1;
    if (at === text.length) return { requests, rest: 'nothing', why: '' };
    const reading = readRequest(text, at);
    if (reading.kind === 'incomplete') return { requests, rest: 'incomplete', why: '' };
    if (reading.kind === 'refused') {
      return { requests, rest: isLost(text.slice(at)) ? 'lost' : 'refused', why: reading.why };
    }
    requests.push(reading.value);
    at = reading.end;
    // Node answers it without having read the body, which may cost the caller the answer.
    if (expectsOddThing(reading.value)) return { requests, rest: 'lost', why: '' };
    const hasMore = /[^\r\n]/.test(text.slice(at));
    // Node loses what stands in the same packet behind an offer to switch.
    if (hasMore && offersUpgrade(reading.value)) return { requests, rest: 'lost', why: '' };
    if (isLast(reading.value)) {
      return { requests, rest: hasMore ? 'refused' : 'nothing', why: 'bytes after the last one' };
    }
  }
}

/** The bytes that the backend has to get for it, without the Connection header that is Jano's own. */
export function forwardedForm(request: SentRequest, host: string): string {
  const { method, content, announcesBody } = request;
  const path = pathOf(request.target);
  const kept = endToEnd(request.headers).filter(
    ([name]) => !['expect', 'trailer', 'host', 'content-length'].includes(name.toLowerCase()),
  );
  const isToldLength = announcesBody || ['POST', 'PUT', 'PATCH'].includes(method);
  const lines = kept.map(([name, value]) => `${name}: ${value}`);
  const length = isToldLength ? `length ${content.length}` : 'no length';
  return [`${method} ${path}`, host, length, ...lines, '', content].join('\r\n');
}

/** The same of the bytes that a backend got; null when they are no single whole request. */
export function arrivedForm(text: string): string | null {
  const { requests, rest } = readConversation(text);
  const [request] = requests;
  if (request === undefined || requests.length > 1 || rest !== 'nothing') return null;
  const { method, target, headers, content } = request;
  const lengths = valuesOf(headers, 'content-length');
  const isOwn = ['host', 'content-length', 'connection'];
  const lines = headers
    .filter(([name]) => !isOwn.includes(name.toLowerCase()))
    .map(([name, value]) => `${name}: ${value}`);
  const length = lengths.length === 0 ? 'no length' : `length ${lengths.join(' and ')}`;
  const host = valuesOf(headers, 'host').join(' and ');
  return [`${method} ${target}`, host, length, ...lines, '', content].join('\r\n');
}

/** What stands behind the host. */
export function pathOf(target: string): string {
  const rest = ABSOLUTE.exec(target)?.[1];
  // Node lets `*#` pass, too.
  if (rest === undefined) return /^(?:\/|\*$)/.test(target) ? target : `/${target}`;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function readRequest(text: string, from: number): Reading<SentRequest> {
  const head = readHead(text, from);
  if (head.kind !== 'read') return head;
  if (head.end - from > MAX_HEAD_BYTES) return refuse('a head that is too long');
  const line = REQUEST_LINE.exec(head.value.startLine);
  if (line === null) return refuse('the request line');
  const [, method = '', target = '', version = ''] = line;
  if (!TARGET.test(target)) return refuse('the target');
  if (!METHODS.includes(method) || method === 'CONNECT') return refuse('the method');
  const { headers } = head.value;
  if (version === '1.1' && valuesOf(headers, 'host').length === 0) return refuse('no host');
  const body = readBody(text, head.end, head.value);
  if (body.kind !== 'read') return body;
  const announcesBody = body.value !== null;
  const content = body.value?.content ?? '';
  const codings = itemsOf(headers, 'transfer-encoding');
  const hasUnknownCoding = codings.length > 1 || codings.some((coding) => coding !== 'chunked');
  const value = { method, target, version, headers, content, announcesBody, hasUnknownCoding };
  return { kind: 'read', value, end: body.end };
}

function readBody(text: string, from: number, { headers }: Head): Reading<Body | null> {
  const codings = valuesOf(headers, 'transfer-encoding');
  const lengths = valuesOf(headers, 'content-length');
  if (codings.length > 0) {
    if (lengths.length > 0) return refuse('a length and a coding');
    const items = itemsOf(headers, 'transfer-encoding');
    const isChunkedOnce = items.indexOf('chunked') === items.length - 1;
    const isList = items.every((item) => /^[\w-]+$/.test(item));
    const isLastChunked = /chunked$/i.test(codings.at(-1) ?? '');
    if (!isList || !isChunkedOnce || !isLastChunked) return refuse('the coding');
    return readChunks(text, from);
  }
  const [length] = lengths;
  if (length === undefined) return { kind: 'read', value: null, end: from };
  if (lengths.length > 1 || !/^\d{1,15}$/.test(length)) return refuse('the length');
  return from > text.length ? INCOMPLETE : readLength(text, from, Number(length));
}

/** Node takes a line without a version for HTTP/0.9, and with an offer to switch it swallows its own error. */
function isLost(text: string): boolean {
  return !/^[^\r\n]* HTTP\//.test(text) || /^upgrade *:/im.test(text);
}

function expectsOddThing({ headers }: SentRequest): boolean {
  return valuesOf(headers, 'expect').some((value) => !/^100-continue$/i.test(value));
}

function offersUpgrade({ headers }: SentRequest): boolean {
  return (
    itemsOf(headers, 'connection').includes('upgrade') && valuesOf(headers, 'upgrade').length > 0
  );
}

/** No other request can follow it on its connection. */
function isLast({ version, headers }: SentRequest): boolean {
  // Node heeds the one that was never in any RFC as well.
  const options = ['connection', 'proxy-connection'].flatMap((name) => itemsOf(headers, name));
  return options.includes('close') || (version !== '1.1' && !options.includes('keep-alive'));
}
