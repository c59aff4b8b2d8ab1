import { gzipSync } from 'node:zlib';
import type { Random } from '../bench/sim/random.ts';
import { mutateBytes } from './byteMutation.ts';
import type { Header } from './messageReading.ts';

/** A body, and the headers that say what it is. */
export interface TypedBody {
  readonly content: string;
  readonly headers: readonly Header[];
}

const JSON_TOKENS = [
  '"model":"other",',
  '"model":"tiny-chat",',
  '"model":7,',
  '"model":{"model":"tiny-chat"},',
  '"m\\u006fdel":"other",',
  '"Model":"other",',
  ',"name":"other"',
  '"model"',
  '\\',
  '\\"',
  '"',
  '\\ud83d',
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  'null',
  '\x00',
  '\xef\xbb\xbf',
  '\xff',
  '\xe6\xb8\x90',
  '\r\n\r\n',
  'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n',
  '0\r\n\r\n',
];
const NAMES = [
  'tiny-chat',
  'TINY-CHAT',
  'tiny-chat:latest',
  'chat',
  'other',
  '',
  'tiny\\u002dchat',
];

/** Makes another body out of the JSON of a capture: broken, doubled, deep, big, a form, compressed. */
export function mutateBody(random: Random, json: string): TypedBody {
  switch (random.integer(0, 12)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return bare(mutateTimes(random, json));
    case 4:
      return bare(`\xef\xbb\xbf${json}`);
    case 5:
      return bare(deepen(random, json));
    case 6:
      return bare(enlarge(random, json));
    case 7:
      return asForm(random, json);
    case 8:
      return asMultipart(random, json);
    case 9:
      return compressed(random, json);
    case 10:
    case 11:
      return bare(rename(random, json));
    default:
      return bare(random.pick(['', ' ', '{}', '[]', 'null', '"', '\x00\x01', '{"model":"other"}']));
  }
}

function bare(content: string): TypedBody {
  return { content, headers: [] };
}

function mutateTimes(random: Random, json: string): string {
  let text = json;
  for (let left = random.integer(1, 3); left > 0; left -= 1) {
    text = mutateBytes(random, text, JSON_TOKENS);
  }
  return text;
}

function deepen(random: Random, json: string): string {
  const depth = random.integer(1, 3000);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"model":', '}'],
  ]);
  const deep = `${open.repeat(depth)}"tiny-chat"${close.repeat(depth)}`;
  return json.replace(/\}$/, `,"deep":${deep}}`);
}

function enlarge(random: Random, json: string): string {
  const text = '\\"model\\":\\"other\\",'.repeat(random.integer(1, 20_000));
  return random.chance(0.5)
    ? json.replace(/^\{/, `{"text":"${text}",`)
    : json.replace(/\}$/, `,"text":"${text}"}`);
}

function rename(random: Random, json: string): string {
  const model = `"model":"${random.pick(NAMES)}"`;
  const found = /"model" *: *"[^"]*"/;
  if (random.chance(0.5)) return json.replace(found, model);
  return json.replace(/\}$/, `,${model}}`);
}

function asForm(random: Random, json: string): TypedBody {
  const form = `prompt=${encodeURIComponent(json)}&model=${random.pick(NAMES)}`;
  const content = random.chance(0.5)
    ? form
    : mutateBytes(random, form, ['&', '=', '%', '%ZZ', '+']);
  return { content, headers: [['Content-Type', 'application/x-www-form-urlencoded']] };
}

function asMultipart(random: Random, json: string): TypedBody {
  const file = partOf('name="file"; filename="a.json"', json);
  const model = partOf('name="model"', random.pick(NAMES));
  const form = `${random.chance(0.5) ? file + model : model + file}--b--\r\n`;
  const tokens = ['--b', '--b--', '\r\n', '\n', '"', 'name="model"', '; charset=utf-8', '\x00'];
  const content = random.chance(0.4) ? form : mutateBytes(random, form, tokens);
  const type = random.pick([
    'boundary=b',
    'boundary="b"',
    'boundary=c',
    'boundary=',
    'Boundary=b',
    'x',
  ]);
  return { content, headers: [['Content-Type', `multipart/form-data; ${type}`]] };
}

function partOf(head: string, content: string): string {
  return `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
}

function compressed(random: Random, json: string): TypedBody {
  const whole = gzipSync(Buffer.from(json, 'latin1')).toString('latin1');
  const content = random.chance(0.5) ? whole : mutateBytes(random, whole, ['\x1f\x8b', '\x00']);
  const coding = random.pick(['gzip', 'GZIP', 'gzip, gzip', 'deflate', 'identity', 'br']);
  return { content, headers: [['Content-Encoding', coding]] };
}
