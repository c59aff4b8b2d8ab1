import type { RequestHandler, Response } from 'express';

const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

/** GET /metrics: Prometheus' text format; 503 with the reason when there is none. */
export function metrics(scrape: () => Promise<string>): RequestHandler {
  return async (_req, res) => {
    try {
      send(res, PROMETHEUS_TEXT, await scrape());
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      send(res.status(503), 'text/plain; charset=utf-8', `${why}\n`);
    }
  };
}

/** By hand: Express would write the type in another way. */
function send(res: Response, type: string, text: string): void {
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}
