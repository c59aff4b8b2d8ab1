import { Names } from './names.ts';

/** A place in a JSON document, and what is wanted there. */
export interface JsonPlace<Field> {
  /** What a value is called that stands here; undefined when only what it contains is wanted. */
  readonly field: Field | undefined;
  /** Only whether a string has any text: it is not kept. */
  readonly isText: boolean;
  /** The only strings that matter here; undefined when any does. */
  readonly words: Names<string> | undefined;
  /** Where a member of an object stands; undefined when no member is wanted. */
  readonly members: Names<JsonPlace<Field>> | undefined;
  /** Where the elements of an array stand; undefined when they are not wanted. */
  readonly elements: JsonPlace<Field> | undefined;
}

/** Where a number, a short string, a boolean or null is wanted as it is. */
export function scalar<Field>(field: Field): JsonPlace<Field> {
  return { ...NOWHERE, field };
}

/** Where only these strings are wanted. */
export function word<Field>(field: Field, words: readonly string[]): JsonPlace<Field> {
  return {
    ...NOWHERE,
    field,
    words: new Names(Object.fromEntries(words.map((name) => [name, name]))),
  };
}

/** Where it matters that text passes, not which. */
export function text<Field>(field: Field): JsonPlace<Field> {
  return { ...scalar(field), isText: true };
}

/** Where something is wanted of an object; `own`: what else may stand there. */
export function object<Field>(
  members: Readonly<Record<string, JsonPlace<Field>>>,
  own: JsonPlace<Field> = NOWHERE,
): JsonPlace<Field> {
  return { ...own, members: new Names(members) };
}

/** Where something is wanted of an array's elements. */
export function list<Field>(
  elements: JsonPlace<Field>,
  own: JsonPlace<Field> = NOWHERE,
): JsonPlace<Field> {
  return { ...own, elements };
}

const NOWHERE = {
  field: undefined,
  isText: false,
  words: undefined,
  members: undefined,
  elements: undefined,
};
