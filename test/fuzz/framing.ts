import type { Random } from '../bench/sim/random.ts';
import { cutUp } from './byteMutation.ts';
import type { Header } from './messageReading.ts';

/** How a body stands on the wire. */
export interface Framed {
  readonly headers: readonly Header[];
  readonly body: string;
}

const CHUNK_EXTENSIONS = ['', '', '', ';a=b', ';a="b c"', ' ; a', ';\t', ';\x01', ';a\n0'];
const TRAILERS = [
  '',
  '',
  '',
  'X-T: 1\r\n',
  'Content-Length: 3\r\n',
  'Host: b\r\n',
  'X\r\n',
  'X : 1\r\n',
];
const LINE_ENDS = ['\r\n', '\n', '\r', '', '\r\n\r\n'];
const CODINGS = [
  'Chunked',
  'CHUNKED',
  'chunked, chunked',
  'gzip, chunked',
  'chunked, gzip',
  'gzip',
  'identity',
  'xchunked',
  'chunkedx',
  'chunked;q=1',
  '"chunked"',
  '',
  ',chunked',
  'chunked,',
];
const CODING_NAMES = [
  'Transfer-Encoding ',
  'Transfer_Encoding',
  'transfer-ENCODING',
  ' Transfer-Encoding',
];

/** Gives the body a length or chunks; mostly the right ones. */
export function frame(random: Random, content: string, headers: readonly Header[]): Framed {
  if (content === '' && random.chance(0.9)) return { headers, body: '' };
  const body = random.chance(0.25) ? chunk(random, content) : null;
  if (body !== null) return { headers: [...headers, ...codingOf(random, content)], body };
  return { headers: [...headers, ...lengthOf(random, content)], body: content };
}

function chunk(random: Random, content: string): string {
  const isRight = random.chance(0.7);
  const chunks = cutUp(random, content).map((piece) => {
    const size = isRight ? hex(random, piece.length) : oddSize(random, piece.length);
    const extension = random.pick(isRight ? CHUNK_EXTENSIONS.slice(0, 5) : CHUNK_EXTENSIONS);
    const lineEnd = isRight || random.chance(0.9) ? '\r\n' : random.pick(LINE_ENDS);
    return `${size}${extension}\r\n${piece}${lineEnd}`;
  });
  const trailers = random.pick(isRight ? TRAILERS.slice(0, 6) : TRAILERS);
  return `${chunks.join('')}0\r\n${trailers}\r\n`;
}

function hex(random: Random, size: number): string {
  const digits = size.toString(16).padStart(random.pick([1, 1, 1, 4, 8]), '0');
  return random.chance(0.5) ? digits : digits.toUpperCase();
}

function oddSize(random: Random, size: number): string {
  const right = size.toString(16);
  return random.pick([
    right,
    right,
    right,
    `0x${right}`,
    `-${right}`,
    `+${right}`,
    ` ${right}`,
    `${right} `,
    `${right}g`,
    '',
    'ffffffffffffffff',
    `1${'0'.repeat(16)}${right}`,
    (size + 1).toString(16),
    Math.max(0, size - 1).toString(16),
  ]);
}

function codingOf(random: Random, content: string): Header[] {
  const right: Header = ['Transfer-Encoding', 'chunked'];
  switch (random.integer(0, 9)) {
    case 0:
      return [['Transfer-Encoding', random.pick(CODINGS)]];
    case 1:
      return [[random.pick(CODING_NAMES), 'chunked']];
    case 2:
      return [right, ['Content-Length', `${content.length}`]];
    case 3:
      return [['Content-Length', '0'], right];
    case 4:
      return [right, ['Transfer-Encoding', random.pick(CODINGS)]];
    default:
      return [right];
  }
}

function lengthOf(random: Random, content: string): Header[] {
  const right = `${content.length}`;
  switch (random.integer(0, 19)) {
    case 0:
      return [['Content-Length', `${Math.max(0, content.length + random.integer(-40, 40))}`]];
    case 1:
      return [
        ['Content-Length', right],
        ['Content-Length', random.chance(0.5) ? right : `${content.length + 1}`],
      ];
    case 2: {
      const odd = [
        `+${right}`,
        `-${right}`,
        `0x${content.length.toString(16)}`,
        `${right}, ${right}`,
      ];
      const odder = ['', '1e2', '٣', '99999999999999999999999', `0${right}`, `${right} 0`];
      return [['Content-Length', random.pick([...odd, ...odder])]];
    }
    case 3:
      return [[random.pick(['Content-Length ', 'Content_Length', 'content-LENGTH']), right]];
    case 4:
      return [];
    default:
      return [['Content-Length', right]];
  }
}
