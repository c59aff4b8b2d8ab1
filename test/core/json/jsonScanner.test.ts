import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type JsonPlace,
  list,
  object,
  scalar,
  text,
  word,
} from '../../../src/core/json/jsonPlace.ts';
import { JsonScanner } from '../../../src/core/json/jsonScanner.ts';
import { Random } from '../../bench/sim/random.ts';
import { cutUp } from '../../fuzz/byteMutation.ts';
import { makeJson, spell, type WrittenJson } from './writtenJson.ts';

/** What is told of a document: where something opens, text that passes, values. */
type Told = readonly (readonly [what: 'open' | 'text' | 'value', field: string, value?: unknown])[];

/** What is wanted at a place, from which both readers are made. */
interface Wanted {
  readonly field?: string;
  readonly as?: 'text' | 'word';
  readonly members?: Readonly<Record<string, Wanted>>;
  readonly elements?: Wanted;
}

const ROUNDS = 2000;
const WORDS = ['stop', 'usage'];
/** Of long strings the beginning is told, which is longer than this. */
const COMPARED_LETTERS = 80;

const LEAF: Wanted = { field: 'leaf' };
const INNER: Wanted = {
  field: 'inner',
  members: { n: LEAF, é: { field: 'accent' }, stop: { field: 'word', as: 'word' } },
  elements: { field: 'element', as: 'text' },
};
const ROOT: Wanted = {
  field: 'root',
  members: {
    n: LEAF,
    m: { field: 'm' },
    usage: INNER,
    usagf: { field: 'twin' },
    stop: { field: 'text', as: 'text' },
    'a"\\b': { elements: INNER },
    '': { members: { '': { field: 'empty' } } },
  },
  elements: { field: 'each', members: { usage: INNER }, elements: LEAF },
};
const NAMES = ['n', 'm', 'usage', 'usagf', 'usag', 'é', 'stop', 'a"\\b', '', 'other'];

test('what is wanted of a document is told, however it is spelled and cut', () => {
  const kinds = new Set<string>();
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const random = new Random(seed);
    const json = makeJson(random, NAMES);
    const spelled = Buffer.from(spell(random, json)).toString('latin1');

    const { told, state, rest } = scan([`\n ${spelled}`, ...(seed % 2 ? [] : [' {"n":1}'])]);
    const cut = scan(cutUp(random, spelled));

    const expected = tell(json, ROOT);
    assert.deepEqual(told, expected, `seed ${seed}: ${spelled}`);
    assert.deepEqual(cut.told, expected, `seed ${seed}, cut: ${spelled}`);
    assert.deepEqual([state, cut.state, cut.rest], ['closed', 'closed', 0]);
    assert.equal(rest, seed % 2 ? 0 : 8, 'what stands behind it is not its own');
    for (const [what, field] of expected) kinds.add(`${what} ${field}`);
  }
  assert.equal(kinds.size, 23, 'each kind of telling has come up');
});

/** By the scanner; `rest`: how many bytes it left. */
function scan(pieces: readonly string[]): { told: Told; state: string; rest: number } {
  const told: (readonly ['open' | 'text' | 'value', string, unknown?])[] = [];
  const scanner = new JsonScanner(placeOf(ROOT), {
    onOpen: (field) => told.push(['open', field]),
    onText: (field) => told.push(['text', field]),
    onValue: (field, value) => told.push(['value', field, beginningOf(value)]),
  });
  let rest = 0;
  for (const piece of pieces) {
    const bytes = Buffer.from(piece, 'latin1');
    rest += bytes.length - scanner.push(bytes, 0, bytes.length);
  }
  return { told, state: scanner.state, rest };
}

/** By walking through the document. */
function tell(json: WrittenJson, wanted: Wanted | undefined): Told {
  if (wanted === undefined) return [];
  const { field, as, members, elements } = wanted;
  const opened: Told = field === undefined ? [] : [['open', field]];
  switch (json.kind) {
    case 'object':
      return [
        ...opened,
        ...json.members.flatMap(([name, value]) =>
          members !== undefined && Object.hasOwn(members, name) ? tell(value, members[name]) : [],
        ),
      ];
    case 'array':
      return [...opened, ...json.elements.flatMap((element) => tell(element, elements))];
    case 'other': {
      const value: unknown = JSON.parse(json.text);
      return field === undefined ? [] : [['value', field, value]];
    }
    case 'string':
      if (field === undefined) return [];
      if (as === 'text') return json.value === '' ? [] : [['text', field]];
      if (as === 'word' && !WORDS.includes(json.value)) return [];
      return [['value', field, beginningOf(json.value)]];
  }
}

function placeOf({ field, as, members, elements }: Wanted): JsonPlace<string> {
  let place = field === undefined ? undefined : valueOf(field, as);
  if (members !== undefined) {
    const places = Object.entries(members).map(([name, wanted]) => [name, placeOf(wanted)]);
    place = object<string>(Object.fromEntries(places), place);
  }
  if (elements !== undefined) place = list(placeOf(elements), place);
  return place ?? object({});
}

function valueOf(field: string, as: Wanted['as']): JsonPlace<string> {
  if (as === 'text') return text(field);
  return as === 'word' ? word(field, WORDS) : scalar(field);
}

function beginningOf(value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, COMPARED_LETTERS) : value;
}
