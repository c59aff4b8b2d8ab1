import type { Random } from '../bench/sim/random.ts';
import type { Header } from './messageReading.ts';

export const ODD_TARGETS = [
  '*',
  '/',
  '//',
  '//a//b',
  '/a b',
  '/a\tb',
  '/a\x01b',
  '/caf\xe9',
  '/%00',
  '/%ZZ',
  '/a#b',
  '/a?b#c?d',
  '/..//../etc',
  '/\\..\\',
  '/a|b{"^`',
  '/?',
  '?x',
  '',
  'a',
  'jano:80',
  'http://jano/a//b?c',
  'http://jano',
  'http://jano?x=1',
  'HTTP://other:80/y',
  'http:///x',
  'http://a:b@jano/x',
  'ftp+x://h/x',
  'javascript:alert(1)',
  '/upstream/tiny-chat/v1/x?y',
  '/upstream/tiny-chat',
  '/upstream/tiny%2Dchat//x',
  '/upstream/other/x',
  '/upstream/',
  '/x?model=tiny-chat',
  '/x?model=other',
  '/x?model=%ZZ',
  '/v1/models',
  '/v1/models/%',
  '/status',
  '/usage',
  `/${'a'.repeat(9000)}`,
  `/${'a'.repeat(70_000)}`,
];

export const ODD_VERSIONS = [
  'HTTP/1.0',
  'HTTP/1.0',
  'HTTP/1.1',
  'HTTP/0.9',
  'HTTP/1.2',
  'HTTP/2.0',
  'HTTP/1.1 ',
  'http/1.1',
  'HTTP/1',
  'HTTP/11.1',
  'HTP/1.1',
  '',
];

/** Bytes that mean something to whoever reads HTTP. */
export const WIRE_TOKENS = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '\r\n ',
  '\r\n\t',
  '\x00',
  '\x0b',
  '\x7f',
  '\xff',
  ':',
  ' ',
  'Content-Length: 0\r\n',
  'Transfer-Encoding: chunked\r\n',
  '\nTransfer-Encoding: chunked\r\n',
  'Connection: close\r\n',
  'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n',
  '0\r\n\r\n',
];

/** Makers of headers that callers, proxies and attackers have sent. */
export const ODD_HEADERS: readonly ((random: Random) => readonly Header[])[] = [
  (random) => [
    ['Connection', random.pick(['close', 'keep-alive', 'Close', 'close, keep-alive', ''])],
  ],
  (random) => [
    ['Connection', random.pick(['X-Hop', 'keep-alive, x-hop, X-B', 'content-length', 'host', ','])],
    ['X-Hop', '1'],
  ],
  () => [
    ['Connection', 'Upgrade, HTTP2-Settings'],
    ['Upgrade', 'h2c'],
    ['HTTP2-Settings', 'AAMAAABkAARAAAAAAAIAAAAA'],
  ],
  (random) => [
    ['Connection', random.pick(['Upgrade', 'keep-alive'])],
    ['Upgrade', random.pick(['TLS/1.0', 'h2c, foo', 'HTTP/2.0, SHTTP/1.3', ''])],
  ],
  (random) => [
    ['Expect', random.pick(['100-continue', '100-Continue', '100-continue, x', '200-ok', ''])],
  ],
  (random) => [['X-Model', random.pick(['tiny-chat', 'TINY-chat:latest', 'other', '', 'caf\xe9'])]],
  () => [
    ['X-Dup', '1'],
    ['x-DUP', '2'],
    ['Cookie', 'a=1'],
    ['Cookie', 'b=2'],
    ['User-Agent', 'two'],
  ],
  () => [['Host', 'other']],
  () => [
    ['TE', 'trailers'],
    ['Trailer', 'X-T'],
    ['Keep-Alive', 'timeout=3'],
    ['Proxy-Connection', 'close'],
  ],
  (random) => [
    ['X-Latin', random.pick(['caf\xe9', '\xff\xfe', '', '\t a \t', 'a\x01b', 'a\x7fb'])],
  ],
  (random) => [[random.pick(['X-Fold', 'Folded']), 'a\r\n b\r\n\tc']],
  (random) => [
    [random.pick(['X Y', 'X\xe9', '', '@', 'X(', '{x}', '__proto__', 'constructor']), 'v'],
  ],
  (random) => [['X-Long', 'x'.repeat(random.pick([4000, 16_000, 60_000, 70_000]))]],
  (random) =>
    Array.from({ length: random.pick([500, 1999, 2001, 4000]) }, () => ['a', ''] as const),
  () => [['Authorization', 'Bearer sk-1']],
  () => [['X-Forwarded-For', '10.0.0.1']],
];
