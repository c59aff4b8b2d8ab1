import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request's body, held as it came. */
export type HeldBody =
  | { readonly kind: 'held'; readonly chunks: readonly Buffer[]; readonly length: number }
  | { readonly kind: 'tooLarge' }
  /** The caller left before it had sent all. */
  | { readonly kind: 'left' };

/**
 * Reads the whole body into memory, at most `limitBytes`, and shows each chunk to `look` as it passes.
 * Held, not paused: a paused upload is blind to a caller that leaves.
 */
export function holdBody(
  req: IncomingMessage,
  res: ServerResponse,
  limitBytes: number,
  look: (chunk: Buffer) => void,
): Promise<HeldBody> {
  if (Number(req.headers['content-length'] ?? 0) > limitBytes) {
    return Promise.resolve({ kind: 'tooLarge' });
  }
  if (!announcesBody(req)) return Promise.resolve({ kind: 'held', chunks: [], length: 0 });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (body: HeldBody): void => {
      req.off('data', take).off('end', end);
      res.off('close', leave);
      resolve(body);
    };
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limitBytes) {
        // What still comes is read and thrown away, so that the caller gets to see the answer.
        settle({ kind: 'tooLarge' });
        req.resume();
        return;
      }
      chunks.push(chunk);
      look(chunk);
    };
    const end = (): void => settle({ kind: 'held', chunks, length });
    const leave = (): void => settle({ kind: 'left' });
    req.on('data', take).once('end', end);
    res.once('close', leave);
  });
}

/** Whether the request says that a body follows, be it an empty one. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
