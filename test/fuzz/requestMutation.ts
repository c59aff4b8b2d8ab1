import { METHODS } from 'node:http';
import type { Random } from '../bench/sim/random.ts';
import { mutateBody } from './bodyMutation.ts';
import { mutateBytes, shuffle } from './byteMutation.ts';
import { frame } from './framing.ts';
import { type Header, readHead } from './messageReading.ts';
import { ODD_HEADERS, ODD_TARGETS, ODD_VERSIONS, WIRE_TOKENS } from './oddities.ts';

/** A request whose parts can be changed one by one. */
interface Draft {
  method: string;
  target: string;
  version: string;
  headers: Header[];
  content: string;
}

const CHANCE_OF_RAW_CHANGE = 0.2;

/** The bytes (as latin1) of a capture, or of something that has become of it. */
export function mutateRequest(random: Random, capture: string): string {
  const draft = draftOf(capture);
  for (let left = random.integer(0, 3); left > 0; left -= 1) change(random, draft);
  const { headers, body } = frame(random, draft.content, draft.headers);
  const line = `${draft.method} ${draft.target} ${draft.version}`;
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const text = `${[line, ...lines].join('\r\n')}\r\n\r\n${body}`;
  return random.chance(CHANCE_OF_RAW_CHANGE) ? mutateBytes(random, text, WIRE_TOKENS) : text;
}

function draftOf(capture: string): Draft {
  const head = readHead(capture, 0);
  if (head.kind !== 'read') throw new Error('a capture has no whole head');
  const [method = '', target = '', version = ''] = head.value.startLine.split(' ');
  const headers = head.value.headers.filter(([name]) => name !== 'Content-Length');
  return { method, target, version, headers, content: capture.slice(head.end) };
}

function change(random: Random, draft: Draft): void {
  switch (random.integer(0, 11)) {
    case 0:
      draft.method = random.pick([...METHODS, 'POST', 'GET', 'get', 'FOO', '']);
      return;
    case 1:
      draft.target = random.chance(0.7)
        ? random.pick(ODD_TARGETS)
        : mutateBytes(random, draft.target, ['%', '?', '#', '\xe9', ' ', '//', '\\', '%00']);
      return;
    case 2:
      draft.version = random.pick(ODD_VERSIONS);
      return;
    case 3:
      draft.headers = shuffle(random, draft.headers);
      return;
    case 4:
      draft.headers = draft.headers.map(([name, value]) => [changeCase(random, name), value]);
      return;
    case 5:
      draft.headers.push(random.pick(draft.headers));
      return;
    case 6:
    case 7:
    case 8:
      return changeBody(random, draft);
    default:
      addOddHeader(random, draft);
  }
}

function changeBody(random: Random, draft: Draft): void {
  const { content, headers } = mutateBody(random, draft.content || '{"model":"tiny-chat"}');
  const replaced = new Set(headers.map(([name]) => name));
  draft.content = content;
  draft.headers = [...draft.headers.filter(([name]) => !replaced.has(name)), ...headers];
}

function addOddHeader(random: Random, draft: Draft): void {
  const added = random.pick(ODD_HEADERS)(random);
  draft.headers.splice(random.integer(0, draft.headers.length), 0, ...added);
}

function changeCase(random: Random, name: string): string {
  return name.replaceAll(/[a-z]/gi, (letter) =>
    random.chance(0.5) ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
