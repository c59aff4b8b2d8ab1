import {
  endToEnd,
  type Header,
  itemsOf,
  readChunks,
  readHead,
  type Reading,
  readLength,
  refuse,
  valuesOf,
  INCOMPLETE,
} from './messageReading.ts';

/** One whole answer; what came before the final one (1xx) is left out. */
export interface ReadAnswer {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly Header[];
  readonly content: string;
  readonly trailers: readonly Header[];
  /** It ends where the connection does, so that a cut one cannot be told from a whole one. */
  readonly isUntilClose: boolean;
}

const STATUS_LINE = /^HTTP\/(?:0\.9|1\.[01]|2\.0) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;

/** Reads the final answer to a request; `isClosed`: no more bytes will come. */
export function readAnswer(
  text: string,
  from: number,
  method: string,
  isClosed: boolean,
): Reading<ReadAnswer> {
  const head = readHead(text, from);
  if (head.kind !== 'read') return head;
  const line = STATUS_LINE.exec(head.value.startLine);
  if (line === null) return refuse('the status line');
  const status = Number(line[1]);
  if (status === 101) return refuse('a switch that nobody asked for');
  if (status < 200) return readAnswer(text, head.end, method, isClosed);
  const { headers } = head.value;
  const bare = { status, reason: line[2] ?? '', headers, isUntilClose: false };
  const codings = itemsOf(headers, 'transfer-encoding');
  const lengths = valuesOf(headers, 'content-length');
  if (lengths.length > 1 || (lengths.length === 1 && codings.length > 0)) {
    return refuse('its length');
  }
  if (lengths.some((length) => !/^\d{1,15}$/.test(length))) return refuse('its length');
  if (method === 'HEAD' || status === 204 || status === 304) {
    return { kind: 'read', value: { ...bare, content: '', trailers: [] }, end: head.end };
  }
  if (codings.at(-1) === 'chunked') {
    const body = readChunks(text, head.end);
    return body.kind === 'read' ? { ...body, value: { ...bare, ...body.value } } : body;
  }
  const [length] = lengths;
  if (length !== undefined) {
    const body = readLength(text, head.end, Number(length));
    return body.kind === 'read' ? { ...body, value: { ...bare, ...body.value } } : body;
  }
  if (!isClosed) return INCOMPLETE;
  const content = text.slice(head.end);
  const value = { ...bare, content, trailers: [], isUntilClose: true };
  return { kind: 'read', value, end: text.length };
}

/** Reads one answer per method, as far as they go. */
export function readAnswers(
  text: string,
  methods: readonly string[],
  isClosed: boolean,
): readonly ReadAnswer[] {
  const answers: ReadAnswer[] = [];
  let at = 0;
  for (const method of methods) {
    const reading = readAnswer(text, at, method, isClosed);
    if (reading.kind !== 'read') break;
    answers.push(reading.value);
    at = reading.end;
  }
  return answers;
}

/** All that a caller has to get of a backend's answer. */
export function meaningOf(answer: ReadAnswer): string {
  const lines = endToEnd(answer.headers).map(([name, value]) => `${name}: ${value}`);
  const { status, reason, content } = answer;
  return [`${status} ${reason}`, ...lines, '', content].join('\r\n');
}
