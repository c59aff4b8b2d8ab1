import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** The first value of a request's header, as UTF-8 where it is that; undefined when it is not there or empty. */
export function headerText(req: IncomingMessage, name: string): string | undefined {
  const value = req.headersDistinct[name.toLowerCase()]?.[0]?.trim();
  if (value === undefined || value === '') return undefined;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
