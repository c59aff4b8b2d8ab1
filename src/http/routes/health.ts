import type { RequestHandler } from 'express';
import type { Snapshot } from '../../core/snapshot.ts';
import { stucknessOf } from '../../core/stuckness.ts';

export interface HealthParts {
  readonly snapshot: () => Snapshot;
  readonly isStopping: () => boolean;
  /** How long somebody has to wait while nothing moves, for it to be stuck. */
  readonly stuckAfterMs: number;
}

/** GET /health: 200 while requests are taken and something goes on where somebody waits, 503 with the reason when not. */
export function health({ snapshot, isStopping, stuckAfterMs }: HealthParts): RequestHandler {
  return (_req, res) => {
    const refuse = (status: string, reason: string) =>
      void res.status(503).json({ ok: false, status, reason });
    if (isStopping()) return refuse('stopping', 'jano is stopping');
    const stuckness = stucknessOf(snapshot(), stuckAfterMs);
    if (stuckness !== null) return refuse('stuck', stuckness);
    res.json({ ok: true, status: 'ok' });
  };
}
