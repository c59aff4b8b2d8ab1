import express, { type Express, type ErrorRequestHandler, type RequestHandler } from 'express';
import type { Snapshot } from '../core/snapshot.ts';
import { type Access, createAccess } from './access.ts';
import { type AdmitParts, createAdmit } from './admit.ts';
import { sendProblem } from './errors.ts';
import { createForward } from './forward.ts';
import { withoutQuery } from './requestPath.ts';
import { callers } from './routes/callers.ts';
import { health, type HealthParts } from './routes/health.ts';
import { metrics } from './routes/metrics.ts';
import { modelById, modelList } from './routes/models.ts';
import { ollamaProcesses, ollamaTags, ollamaVersion } from './routes/ollama.ts';
import { page } from './routes/page.ts';
import { root } from './routes/root.ts';
import { status } from './routes/status.ts';
import { swaps } from './routes/swaps.ts';
import { usage } from './routes/usage.ts';

export interface AppParts extends AdmitParts, HealthParts {
  readonly snapshot: () => Snapshot;
  /** The text of /metrics; rejects with a sentence when there is none. */
  readonly scrape: () => Promise<string>;
  readonly version: string;
  /** Hears of mistakes of Jano's own. */
  readonly onMistake: (error: unknown) => void;
  readonly requestMs: number;
  readonly auth: {
    readonly keys: Readonly<Record<string, string>>;
    /** Jano's own routes that need no key, by their first part, such as `health`. */
    readonly open: readonly string[];
  };
}

/** All routes, in the order in which they are tried: Jano's own, which never queue, then everything else to a backend. */
export function createApp(parts: AppParts): Express {
  const { auth, catalog, snapshot, dispatcher, now, requestMs, tracing } = parts;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('json spaces', 2);
  app.use(identify(auth.keys));
  app.use(demandKey(auth.open));
  app.get('/', root(parts.version));
  app.get('/ui', page());
  app.get('/health', health(parts));
  app.get('/status', status(snapshot));
  app.get('/usage', usage(catalog, snapshot));
  app.get('/usage/callers', callers(snapshot));
  app.get('/swaps', swaps(snapshot));
  app.get('/metrics', metrics(parts.scrape));
  app.all(['/usage', '/usage/callers', '/swaps', '/metrics'], onlyToLookAt);
  app.all(/^\/(?:usage|swaps|metrics)\/./i, notThere);
  app.get(['/v1/models', '/models'], modelList(catalog, snapshot));
  app.get(/^\/(?:v1\/)?models\/./, modelById(catalog, snapshot));
  app.get('/api/tags', ollamaTags(catalog, snapshot));
  app.get('/api/ps', ollamaProcesses(catalog, snapshot));
  app.get('/api/version', ollamaVersion(parts.version));
  app.all(/^\/admin(?:\/.*)?$/i, notYet);
  // What is open is Jano's own: under the same path a backend may have anything.
  app.use(demandKey([]));
  app.use(createAdmit(parts));
  const forward = createForward({
    now,
    requestMs,
    tracing,
    suspect: (backend) => dispatcher.suspect(backend),
    watchSilence: (silent) => dispatcher.watchSilence(silent),
  });
  app.use(forward);
  app.use(internalError(parts.onMistake));
  return app;
}

/** Routes that are Jano's own must not reach a backend by mistake before they are built. */
const notYet: RequestHandler = (req, res) => {
  const path = withoutQuery(req.originalUrl);
  const message = `${path} is jano's own, and this version does not serve it yet; a backend's is at /upstream/<model>${path}`;
  sendProblem(res, req.originalUrl, { status: 501, code: 'not_implemented', message });
};

/** What is Jano's own under every method, but only answers to GET. */
const onlyToLookAt: RequestHandler = (req, res) => {
  res.setHeader('Allow', 'GET, HEAD');
  const message = `${withoutQuery(req.originalUrl)} takes GET and HEAD only, not ${req.method}`;
  sendProblem(res, req.originalUrl, { status: 405, code: 'method_not_allowed', message });
};

const notThere: RequestHandler = (req, res) => {
  const path = withoutQuery(req.originalUrl);
  const message = `jano has nothing at ${path}; a backend's is at /upstream/<model>${path}`;
  sendProblem(res, req.originalUrl, { status: 404, code: 'not_found', message });
};

/** Finds out who asks. */
function identify(keys: AppParts['auth']['keys']): RequestHandler {
  const check = createAccess(keys);
  return (req, res, next) => {
    res.locals['access'] = check(req);
    next();
  };
}

/** Lets through who may ask, on open routes everybody, and browsers that ask whether they may: they show no key then. */
function demandKey(open: readonly string[]): RequestHandler {
  return (req, res, next) => {
    const access: Access = res.locals['access'];
    const path = withoutQuery(req.originalUrl);
    const isOpen = open.some((name) => path === `/${name}` || path.startsWith(`/${name}/`));
    const isPreflight = req.method === 'OPTIONS' && req.get('access-control-request-method');
    if (access.kind === 'allowed' || isOpen || isPreflight) return next();
    res.setHeader('WWW-Authenticate', 'Bearer');
    const message = 'a key is needed: send it as "Authorization: Bearer <key>" or x-api-key';
    sendProblem(res, path, { status: 401, code: 'invalid_api_key', message });
  };
}

/** A bug of ours must not hang or kill anything. Express knows it by its four parameters. */
function internalError(onMistake: AppParts['onMistake']): ErrorRequestHandler {
  return (error, req, res, _next) => {
    onMistake(error);
    if (res.headersSent) return void res.destroy();
    const message = 'jano made a mistake; its log has the details';
    sendProblem(res, req.originalUrl, { status: 500, code: 'internal_error', message });
  };
}
