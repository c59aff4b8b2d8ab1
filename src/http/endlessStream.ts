import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { LineWatch } from '../core/silence/lineWatch.ts';
import type { Silent } from '../dispatch/silences.ts';
import type { Admitted } from './exchange.ts';

/** What it takes to have something closed for its silence. */
export interface SilenceParts {
  readonly now: () => number;
  /** Has it closed when it is silent for too long and somebody waits for its memory. */
  readonly watchSilence: (silent: Silent) => void;
}

/** How long a caller that does not read may hold up the end. */
const GRACE_MS = 10_000;

/** Event streams that answer a request which takes no slot, such as GET /upstream/<model>/models/sse, need never end; an answer that is generated does. */
export function isEndless({ isStream, turn }: Admitted): boolean {
  return isStream && !turn.causesSwap;
}

/** Has the stream ended where it stands, as a whole one, when nobody has heard anything of it for too long. */
export function limitStream(
  backendRes: IncomingMessage,
  res: Response,
  { id, turn }: Admitted,
  { now, watchSilence }: SilenceParts,
): void {
  const watch = new LineWatch();
  let silentSince = now();
  backendRes.on('data', (chunk: Buffer) => {
    if (watch.push(chunk)) silentSince = now();
  });
  watchSilence({
    id,
    model: turn.backend.model,
    get silentSince() {
      return silentSince;
    },
    close() {
      backendRes.unpipe(res);
      res.end();
      backendRes.destroy();
      setTimeout(() => res.destroy(), GRACE_MS).unref();
    },
  });
}
