import type { IncomingHttpHeaders } from 'node:http';
import { areDecodable, codingsOf } from '../decoding.ts';
import type { BodyReader } from './bodyReader.ts';
import { DecodedReader } from './decodedReader.ts';
import { boundaryOf, FormReader } from './formReader.ts';
import { JsonReader } from './jsonReader.ts';
import { UrlEncodedReader } from './urlEncodedReader.ts';

/** A reader for what the headers announce. What is not said to be a form is taken for JSON; what is coded is decoded, to at most `limitBytes`. */
export function createBodyReader(headers: IncomingHttpHeaders, limitBytes: number): BodyReader {
  const type = headers['content-type'] ?? '';
  const codings = codingsOf(headers['content-encoding']);
  const reader = plainReader(type);
  if (codings.length === 0 || !areDecodable(codings)) return reader;
  return new DecodedReader(reader, codings, limitBytes);
}

function plainReader(type: string): BodyReader {
  const boundary = boundaryOf(type);
  if (boundary !== null) return new FormReader(boundary);
  // What `curl -d` sends is called a form, and mostly is JSON.
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) {
    return new UrlEncodedReader(new JsonReader(false));
  }
  return new JsonReader(/^[^;]*\bjson\b/i.test(type));
}
