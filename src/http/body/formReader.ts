import { finished } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { malformedForm, type Problem } from '../problem.ts';
import type { BodyReader } from './bodyReader.ts';

const LONGEST_NAME = 4096;

/** The parser takes no longer one; the standard (RFC 2046) allows 70. */
const LONGEST_BOUNDARY = 252;

/** The boundary of a multipart/form-data type, or null when it is none, or says none that can be one. */
export function boundaryOf(type: string): string | null {
  if (!/^multipart\/form-data\s*;/i.test(type)) return null;
  const found = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s";]+))/i.exec(type);
  const boundary = found?.[1] ?? found?.[2] ?? null;
  return boundary !== null && boundary.length <= LONGEST_BOUNDARY ? boundary : null;
}

/** Reads the field `model` of a multipart form, wherever it stands; files are passed over. */
export class FormReader implements BodyReader {
  readonly #form: BusboyInstance;
  readonly #ended: Promise<void>;
  #model: string | undefined;
  #isBroken = false;

  constructor(boundary: string) {
    this.#form = new Busboy({
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
      limits: { fieldSize: LONGEST_NAME },
      // What is not wanted counts as a file, and those nobody listens for.
      isPartAFile: (name, _type, fileName) => name !== 'model' || fileName !== undefined,
    });
    this.#form.on('field', (name, value, _isNameCut, isValueCut) => {
      if (name === 'model' && !isValueCut) this.#model = value;
    });
    this.#ended = finished(this.#form).catch(() => {
      this.#isBroken = true;
    });
  }

  push(chunk: Buffer): void {
    if (!this.#isBroken) this.#form.write(chunk);
  }

  finish(): Promise<void> {
    this.#form.end();
    return this.#ended;
  }

  get(field: string): string | undefined {
    return field === 'model' ? this.#model : undefined;
  }

  value(): unknown {
    return undefined;
  }

  problem(): Problem | null {
    return this.#model === undefined && this.#isBroken ? malformedForm : null;
  }

  drop(): void {
    this.#form.destroy();
  }
}
