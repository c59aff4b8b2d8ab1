import type { Random } from '../bench/sim/random.ts';
import { cutUp } from './byteMutation.ts';
import type { RawAnswer } from './lane.ts';

/** A whole answer of any kind that HTTP allows, in pieces. */
export function makeAnswer(random: Random): RawAnswer {
  const status = random.pick([
    '200 OK',
    '200 ',
    '201 Made',
    '207 Rather Odd',
    '400 No',
    '500 Caf\xe9',
  ]);
  const odd = ['X-Dup: 1', 'SERVER: a', 'x-dup: 2', 'Set-Cookie: a', 'Set-Cookie: b', 'X-L: \xe9'];
  const lines = odd.filter(() => random.chance(0.4));
  const hop = random.chance(0.2) ? ['Connection: close, X-Hop', 'X-Hop: 1', 'Keep-Alive: 3'] : [];
  const content = Array.from({ length: random.integer(0, 60) }, () =>
    String.fromCharCode(random.integer(0, 255)),
  ).join('');
  const framed = random.pick([inLength, inChunks, untilClose])(random, content);
  const head = [`HTTP/1.1 ${status}`, ...lines, ...hop, ...framed.lines].join('\r\n');
  return { pieces: cutUp(random, `${head}\r\n\r\n${framed.body}`), isReset: false };
}

interface Framed {
  readonly lines: readonly string[];
  readonly body: string;
}

function inLength(_random: Random, content: string): Framed {
  return { lines: [`Content-Length: ${content.length}`], body: content };
}

function inChunks(random: Random, content: string): Framed {
  const chunks = cutUp(random, content).map(
    (piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`,
  );
  return { lines: ['Transfer-Encoding: chunked'], body: `${chunks.join('')}0\r\n\r\n` };
}

function untilClose(_random: Random, content: string): Framed {
  return { lines: [], body: content };
}
