interface Tensor {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly values: Float32Array;
}

const ALIGNMENT_BYTES = 32;
const TYPE_CODES = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 };
const F32_TENSOR = 0;

/** A file in llama.cpp's model format GGUF, version 3, in the making. */
export class GgufFile {
  #fields = 0;
  readonly #fieldBytes: Buffer[] = [];
  readonly #tensors: Tensor[] = [];

  text(key: string, value: string): this {
    return this.#field(key, 'string', string(value));
  }

  bool(key: string, value: boolean): this {
    return this.#field(key, 'bool', Buffer.from([value ? 1 : 0]));
  }

  count(key: string, value: number): this {
    return this.#field(key, 'u32', u32(value));
  }

  float(key: string, value: number): this {
    return this.#field(key, 'f32', f32(value));
  }

  texts(key: string, values: readonly string[]): this {
    return this.#array(key, 'string', values.map(string));
  }

  integers(key: string, values: readonly number[]): this {
    return this.#array(key, 'i32', values.map(i32));
  }

  floats(key: string, values: readonly number[]): this {
    return this.#array(key, 'f32', values.map(f32));
  }

  /** Adds a tensor; the dimension whose values lie side by side comes first. */
  tensor(name: string, dimensions: readonly number[], values: Float32Array): this {
    const places = dimensions.reduce((product, size) => product * size, 1);
    if (values.length !== places) {
      throw new Error(`tensor ${name} has ${values.length} values for ${places} places`);
    }
    this.#tensors.push({ name, dimensions, values });
    return this;
  }

  toBytes(): Buffer {
    const parts = [Buffer.from('GGUF', 'latin1'), u32(3), u64(this.#tensors.length)];
    parts.push(u64(this.#fields), ...this.#fieldBytes);
    let offset = 0;
    for (const { name, dimensions, values } of this.#tensors) {
      parts.push(string(name), u32(dimensions.length), ...dimensions.map(u64));
      parts.push(u32(F32_TENSOR), u64(offset));
      offset += padded(values.byteLength);
    }
    const head = Buffer.concat(parts);
    const aligned = [head, padding(head.length)];
    for (const { values } of this.#tensors) {
      aligned.push(Buffer.from(values.buffer, values.byteOffset, values.byteLength));
      aligned.push(padding(values.byteLength));
    }
    return Buffer.concat(aligned);
  }

  #field(key: string, type: keyof typeof TYPE_CODES, value: Buffer): this {
    this.#fieldBytes.push(string(key), u32(TYPE_CODES[type]), value);
    this.#fields += 1;
    return this;
  }

  #array(key: string, type: keyof typeof TYPE_CODES, values: readonly Buffer[]): this {
    const head = [u32(TYPE_CODES[type]), u64(values.length)];
    return this.#field(key, 'array', Buffer.concat([...head, ...values]));
  }
}

function padded(length: number): number {
  return Math.ceil(length / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
}

function padding(length: number): Buffer {
  return Buffer.alloc(padded(length) - length);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function string(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([u64(bytes.length), bytes]);
}
