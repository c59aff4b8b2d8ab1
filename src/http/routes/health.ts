import type { RequestHandler } from 'express';

/** GET /health: 200 while requests are taken, 503 with the reason when not. */
export function health(isStopping: () => boolean): RequestHandler {
  return (_req, res) => {
    if (!isStopping()) return void res.json({ ok: true, status: 'ok' });
    res.status(503).json({ ok: false, status: 'stopping', reason: 'jano is stopping' });
  };
}
