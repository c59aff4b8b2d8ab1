import { join } from 'node:path';
import type { RequestHandler } from 'express';

const FILE = join(import.meta.dirname, 'page.html');

/** GET /ui: a page that shows /status, each second anew. */
export function page(): RequestHandler {
  return (_req, res) => res.sendFile(FILE);
}
