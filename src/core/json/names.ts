/** A map from names to values that is asked with bytes, so that no string is made for a name that nobody wants. */
export class Names<Value> {
  readonly #entries = new Map<number, { readonly name: Uint8Array; readonly value: Value }[]>();

  constructor(values: Readonly<Record<string, Value>>) {
    for (const [key, value] of Object.entries(values)) {
      const name = new TextEncoder().encode(key);
      const sum = checksum(name, 0, name.length);
      this.#entries.set(sum, [...(this.#entries.get(sum) ?? []), { name, value }]);
    }
  }

  /** The value of the name that the bytes from `from` up to `to` are. */
  find(bytes: Uint8Array, from: number, to: number): Value | undefined {
    const entries = this.#entries.get(checksum(bytes, from, to));
    if (entries === undefined) return undefined;
    for (const entry of entries) if (isSame(entry.name, bytes, from, to)) return entry.value;
    return undefined;
  }
}

function checksum(bytes: Uint8Array, from: number, to: number): number {
  let sum = to - from;
  for (let at = from; at < to; at++) sum = (sum * 31 + (bytes[at] ?? 0)) | 0;
  return sum;
}

function isSame(name: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (name.length !== to - from) return false;
  for (let at = from; at < to; at++) if (name[at - from] !== bytes[at]) return false;
  return true;
}
