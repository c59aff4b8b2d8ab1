import type { Random } from '../bench/sim/random.ts';
import { cutUp, mutateBytes } from './byteMutation.ts';
import type { RawAnswer } from './lane.ts';
import { WIRE_TOKENS } from './oddities.ts';

const ANSWER_TOKENS = [
  ...WIRE_TOKENS,
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
  'Content-Length: 5\r\n',
  'Trailer: X-T\r\n',
  'Content-Encoding: gzip\r\n',
  'Set-Cookie: \xe9\r\n',
  'data: {"error":{"message":"no"}}\n\n',
  'data: {"usage":{"prompt_tokens":-1}}\n\n',
];
const STATUS_LINES = [
  'HTTP/1.1 200',
  'HTTP/1.0 200 OK',
  'HTTP/1.1 099 Low',
  'HTTP/1.1 999 High',
  'HTTP/1.1 1000 Long',
  'HTTP/1.1 204 None',
  'HTTP/1.1 304 Same',
  'HTTP/1.1 101 Switch',
  'HTTP/1.1 100 Continue',
  'HTTP/1.1 200 a\x01b',
  'HTTP/1.1 200 Caf\xe9',
  'HTTP/2.0 200 OK',
  'ICY 200 OK',
  'GET / HTTP/1.1',
  '',
];

/** A capture, or something that has become of it: another head, garbage in it, cut short, ended by a reset. */
export function mutateAnswer(random: Random, capture: string): RawAnswer {
  let text = capture;
  if (random.chance(0.2)) text = text.replace(/^[^\r]*/, () => random.pick(STATUS_LINES));
  if (random.chance(0.2)) text = text.replace('\r\n', `\r\nX-Long: ${'x'.repeat(20_000)}\r\n`);
  if (random.chance(0.2)) text = text.replace(/Content-Length: \d+/, () => oddLength(random));
  for (let left = random.integer(0, 2); left > 0; left -= 1) {
    text = mutateBytes(random, text, ANSWER_TOKENS);
  }
  if (random.chance(0.3)) text = text.slice(0, random.integer(0, text.length));
  return { pieces: cutUp(random, text), isReset: random.chance(0.2) };
}

function oddLength(random: Random): string {
  const lengths = ['0', '10', '99999', '-1', '+5', '5, 5', '', '0x10', '18446744073709551617'];
  const name = random.pick([
    'Content-Length',
    'content-length',
    'Transfer-Encoding: chunked\r\nContent-Length',
  ]);
  return `${name}: ${random.pick(lengths)}`;
}
