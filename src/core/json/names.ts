/** A map from names to values that is asked with bytes, so that no string is made for a name that nobody wants. */
export class Names<Value> {
  /** By their length: most names that nobody wants are told from all others by it and their first byte. */
  readonly #entries: { readonly name: Uint8Array; readonly value: Value }[][] = [];

  constructor(values: Readonly<Record<string, Value>>) {
    for (const [key, value] of Object.entries(values)) {
      const name = new TextEncoder().encode(key);
      while (this.#entries.length <= name.length) this.#entries.push([]);
      this.#entries[name.length]?.push({ name, value });
    }
  }

  /** The value of the name that the bytes from `from` up to `to` are. */
  find(bytes: Uint8Array, from: number, to: number): Value | undefined {
    const entries = this.#entries[to - from];
    if (entries === undefined) return undefined;
    for (const { name, value } of entries) if (beginsWith(bytes, from, name)) return value;
    return undefined;
  }
}

function beginsWith(bytes: Uint8Array, from: number, name: Uint8Array): boolean {
  for (let at = 0; at < name.length; at++) if (name[at] !== bytes[from + at]) return false;
  return true;
}
