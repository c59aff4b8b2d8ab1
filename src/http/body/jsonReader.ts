import { JsonFields } from '../../core/body/jsonFields.ts';
import { malformedJson, type Problem } from '../problem.ts';
import type { BodyReader } from './bodyReader.ts';

/** Bodies up to this size are parsed whole to tell broken JSON from JSON without a model. */
const PARSE_LIMIT_BYTES = 1024 * 1024;

/** Everything that a JSON body may name: the model, and ids that belong to one. */
const FIELDS = ['model', 'name', 'previous_response_id', 'id'];

/** Reads a JSON body without building it. What is no JSON and does not claim to be names nothing and is fine. */
export class JsonReader implements BodyReader {
  readonly #fields = new JsonFields(FIELDS);
  readonly #claimsJson: boolean;
  #chunks: Buffer[] = [];
  #length = 0;
  #first = '';

  constructor(claimsJson: boolean) {
    this.#claimsJson = claimsJson;
  }

  push(chunk: Buffer): void {
    // What stands before it is a byte order mark, or blank.
    if (this.#first.trim() === '') this.#first = chunk.toString('utf8', 0, 256);
    this.#length += chunk.length;
    if (this.#length <= PARSE_LIMIT_BYTES) this.#chunks.push(chunk);
    else this.#chunks = [];
    // Only an object has fields, and the rest may be long.
    if (this.isObject) this.#fields.push(chunk);
  }

  finish(): Promise<void> {
    return Promise.resolve();
  }

  get(field: string): string | undefined {
    return this.#fields.get(field);
  }

  value(): unknown {
    if (this.#length === 0 || this.#length > PARSE_LIMIT_BYTES) return undefined;
    try {
      return JSON.parse(new TextDecoder().decode(Buffer.concat(this.#chunks)));
    } catch {
      return undefined;
    }
  }

  problem(): Problem | null {
    // Of a body that stops short: its model would be loaded only for the backend to refuse the request.
    if (this.get('model')) return this.#fields.isClosed ? null : malformedJson;
    const isObject = this.isObject;
    if (this.#length === 0 || !(isObject || this.#claimsJson)) return null;
    if (this.#length > PARSE_LIMIT_BYTES) {
      return isObject && !this.#fields.isClosed ? malformedJson : null;
    }
    return this.value() === undefined ? malformedJson : null;
  }

  drop(): void {
    this.#chunks = [];
  }

  /** Whether it begins as a JSON object does. */
  get isObject(): boolean {
    return this.#first.trimStart().startsWith('{');
  }
}
