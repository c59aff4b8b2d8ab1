import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** The first value of a request's header, as UTF-8 where it is that; undefined when it is not there or empty. */
export function headerText(req: IncomingMessage, name: string): string | undefined {
  // Not of headersDistinct: Node 22 throws there when a header is called "constructor".
  const isName = (text: string, at: number): boolean =>
    at % 2 === 0 && text.toLowerCase() === name.toLowerCase();
  const at = req.rawHeaders.findIndex(isName);
  const value = at === -1 ? undefined : req.rawHeaders[at + 1]?.trim();
  if (value === undefined || value === '') return undefined;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
