import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyTooLarge, memoryFull, type Problem, unknownCoding } from '../problem.ts';
import type { BodyMemory } from './bodyMemory.ts';
import type { BodyReader } from './bodyReader.ts';
import { HeldBody } from './heldBody.ts';

/** How much may be read. */
export interface BodyLimits {
  /** Of one body, `limits.body`; 0 = none. */
  readonly bodyLimitBytes: number;
  readonly memory: BodyMemory;
}

/** A body under way. */
export interface BodyReading {
  readonly ended: Promise<BodyEnd>;
  /** Reads no further: the request is to be refused. */
  refuse(problem: Problem): void;
}

/** What became of the reading of a body. */
export type BodyEnd =
  | { readonly kind: 'held'; readonly body: HeldBody }
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** The caller left before it had sent all. */
  | { readonly kind: 'left' };

/**
 * Reads the whole body into memory and shows it to the reader as it passes.
 * Held, not paused: a paused upload is blind to a caller that leaves.
 */
export function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  { bodyLimitBytes, memory }: BodyLimits,
  reader: BodyReader,
): BodyReading {
  const { promise: ended, resolve } = Promise.withResolvers<BodyEnd>();
  const body = new HeldBody(memory);
  const settle = (end: BodyEnd): void => {
    req.off('data', take).off('end', finish);
    res.off('close', leave);
    if (end.kind !== 'held') body.drop();
    resolve(end);
  };
  const refuse = (problem: Problem): void => settle({ kind: 'refused', problem });
  const limitBytes = bodyLimitBytes || Number.POSITIVE_INFINITY;
  const take = (chunk: Buffer): void => {
    if (body.length + chunk.length > limitBytes) return refuse(bodyTooLarge(bodyLimitBytes));
    if (!body.hasRoomFor(chunk.length)) return refuse(memoryFull(memory.limitBytes));
    for (const settled of body.push(chunk)) reader.push(settled);
  };
  const finish = (): void => {
    for (const settled of body.settle()) reader.push(settled);
    settle({ kind: 'held', body });
  };
  const leave = (): void => settle({ kind: 'left' });

  const coding = req.headers['transfer-encoding'] ?? 'chunked';
  const announcedBytes = Number(req.headers['content-length'] ?? 0);
  if (!/^[ ,]*chunked$/i.test(coding)) refuse(unknownCoding(coding));
  else if (announcedBytes > limitBytes) refuse(bodyTooLarge(bodyLimitBytes));
  else if (!body.hasRoomFor(announcedBytes)) refuse(memoryFull(memory.limitBytes));
  else if (!announcesBody(req)) finish();
  else {
    // Only now: a caller that asks first sends nothing that would not be taken.
    if (awaitsContinue(req)) {
      res.writeContinue();
      delete req.headers.expect;
    }
    req.on('data', take).once('end', finish);
    res.once('close', leave);
  }
  return { ended, refuse };
}

/** Whether the request says that a body follows, be it an empty one. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Whether the caller sends its body only once it is told to, and has not been yet. */
export function awaitsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion !== '1.0' && /^100-continue$/i.test(headers.expect ?? '');
}
