import type { Random } from '../../bench/sim/random.ts';

/** A JSON value as somebody may write it: names may stand several times in an object. */
export type WrittenJson =
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, WrittenJson])[] }
  | { readonly kind: 'array'; readonly elements: readonly WrittenJson[] }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'other'; readonly text: string };

const MOST_DEPTH = 5;
const LETTERS = Array.from('abz09 {}[],:"\\/\n\u0001é渐🌍');
const OTHERS = ['null', 'true', 'false', '0', '-0.5', '12345', '1e3', '9.25E-2', '1e999'];
const SPACES = ['', '', '', ' ', '\n', '\r\n  ', '\t'];

/** An object or array of anything, with many of these names and strings. */
export function makeJson(random: Random, names: readonly string[], depth = 0): WrittenJson {
  const kinds = depth === 0 ? [3, 1, 0, 0] : depth === MOST_DEPTH ? [0, 0, 1, 1] : [3, 2, 3, 2];
  const elements = (): number[] => Array.from({ length: random.integer(0, 7) });
  switch (random.pick(['object', 'array', 'string', 'other'] as const, kinds)) {
    case 'object':
      return {
        kind: 'object',
        members: elements().map(() => [
          makeString(random, names),
          makeJson(random, names, depth + 1),
        ]),
      };
    case 'array':
      return { kind: 'array', elements: elements().map(() => makeJson(random, names, depth + 1)) };
    case 'string':
      return { kind: 'string', value: makeString(random, names) };
    case 'other':
      return { kind: 'other', text: random.pick(OTHERS) };
  }
}

/** One of its spellings: with or without space, letters as they are or as escapes. */
export function spell(random: Random, json: WrittenJson): string {
  const space = (): string => random.pick(SPACES);
  switch (json.kind) {
    case 'object': {
      const members = json.members.map(
        ([name, value]) =>
          `${space()}${quote(random, name)}${space()}:${space()}${spell(random, value)}${space()}`,
      );
      return `{${members.join(',') || space()}}`;
    }
    case 'array': {
      const elements = json.elements.map((value) => `${space()}${spell(random, value)}${space()}`);
      return `[${elements.join(',') || space()}]`;
    }
    case 'string':
      return quote(random, json.value);
    case 'other':
      return json.text;
  }
}

function makeString(random: Random, names: readonly string[]): string {
  if (random.chance(0.7)) return random.pick(names);
  const length = random.chance(0.05) ? 700 : random.integer(0, 8);
  return Array.from({ length }, () => random.pick(LETTERS)).join('');
}

function quote(random: Random, text: string): string {
  const escapes = random.pick([0, 0.2]);
  const letters = Array.from(text, (letter) => {
    if (random.chance(escapes)) return escaped(letter);
    return JSON.stringify(letter).slice(1, -1);
  });
  return `"${letters.join('')}"`;
}

function escaped(letter: string): string {
  return Array.from(
    { length: letter.length },
    (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}
