/** A place in a JSON document, and what is wanted there. */
export interface JsonPlace<Field> {
  /** What a value is called that stands here; undefined when only what it contains is wanted. */
  readonly field: Field | undefined;
  /** Only whether a string has any text: it is not kept. */
  readonly isText: boolean;
  /** Where a member of an object stands; undefined when no member is wanted. */
  readonly members: Names<JsonPlace<Field>> | undefined;
  /** Where the elements of an array stand; undefined when they are not wanted. */
  readonly elements: JsonPlace<Field> | undefined;
}

/** A map from names to values that is asked with bytes, so that no string is made for a name that nobody wants. */
export class Names<Value> {
  readonly #entries = new Map<number, { readonly name: Uint8Array; readonly value: Value }[]>();

  constructor(values: Readonly<Record<string, Value>>) {
    for (const [key, value] of Object.entries(values)) {
      const name = new TextEncoder().encode(key);
      const sum = checksum(name);
      this.#entries.set(sum, [...(this.#entries.get(sum) ?? []), { name, value }]);
    }
  }

  /** The value of the name that the bytes are. */
  find(bytes: Uint8Array): Value | undefined {
    const entries = this.#entries.get(checksum(bytes));
    return entries?.find(({ name }) => isSame(name, bytes))?.value;
  }
}

/** Where a number, a short string, a boolean or null is wanted as it is. */
export function scalar<Field>(field: Field): JsonPlace<Field> {
  return { field, isText: false, members: undefined, elements: undefined };
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

const NOWHERE = { field: undefined, isText: false, members: undefined, elements: undefined };

function checksum(bytes: Uint8Array): number {
  let sum = bytes.length;
  for (const byte of bytes) sum = (sum * 31 + byte) | 0;
  return sum;
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
