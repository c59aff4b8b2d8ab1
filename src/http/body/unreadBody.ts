import type { IncomingMessage, ServerResponse } from 'node:http';

/** How much of a body that nobody wants is read, and for how long. */
export interface UnreadLimits {
  /** Rather than read more, the connection is given up. */
  readonly mostBytes: number;
  /** How long what still comes is thrown away, so that the caller gets to see the answer. */
  readonly lingerMs: number;
}

const USUAL_LIMITS: UnreadLimits = { mostBytes: 1024 * 1024, lingerMs: 10_000 };

/**
 * To be called before a request is answered whose body has not been read to its end. What is left of it is
 * thrown away; if that is much, the connection ends behind the answer: closed at once, it would take the
 * answer with it before the caller has read it.
 */
export function discardUnread(
  req: IncomingMessage,
  res: ServerResponse,
  { mostBytes, lingerMs }: UnreadLimits = USUAL_LIMITS,
): void {
  if (req.complete) return;
  const { socket } = req;
  const giveUp = (): void => {
    const linger = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once('close', () => clearTimeout(linger));
    if (res.writableFinished) socket.end();
    else res.once('finish', () => socket.end());
  };
  const isMuch = Number(req.headers['content-length'] ?? 0) > mostBytes;
  let leftBytes = isMuch ? -1 : mostBytes;
  if (isMuch) giveUp();
  req.on('data', (chunk: Buffer) => {
    if (leftBytes < 0) return;
    leftBytes -= chunk.length;
    if (leftBytes < 0) giveUp();
  });
}
