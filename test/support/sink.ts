import { Writable } from 'node:stream';

/** A stream that takes everything at once, and tells what it has taken. */
export function openSink(): { readonly stream: Writable; readonly text: () => string } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      text += chunk.toString('utf8');
      callback();
    },
  });
  return { stream, text: () => text };
}
