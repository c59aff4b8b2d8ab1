import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { answer, refuse, sendJson, type Speaker } from './answering.ts';
import { chatFormat, nativeFormat, textFormat, type Format } from './formats.ts';
import type { Pace } from './generation.ts';
import { writeRecital } from './recital.ts';
import { Slots } from './slots.ts';
import { LOADING, NO_SLOT, NOT_FOUND, showModels, showProps, showSlots } from './wire.ts';

/** What an example model is like. */
export interface ExampleModelSettings {
  readonly model: string;
  /** How long after its creation it refuses to serve. */
  readonly loadMs: number;
  readonly slots: number;
  readonly pace: Pace;
}

type Route = (req: IncomingMessage, res: ServerResponse) => void;

/** A model server, not yet listening, that speaks llama-server's wire format and recites a text of its own. */
export function createExampleModel(settings: ExampleModelSettings): Server {
  const createdAt = performance.now();
  const routes = listRoutes({
    model: settings.model,
    words: writeRecital(settings.model),
    pace: settings.pace,
    slots: new Slots(settings.slots),
  });
  return createServer((req, res) => {
    res.setHeader('Server', 'llama.cpp');
    res.setHeader('Access-Control-Allow-Origin', req.headers.origin ?? '');
    if (req.method === 'OPTIONS') return allowEverything(res);
    const method = req.method === 'HEAD' ? 'GET' : req.method;
    const route = routes.get(`${method} ${req.url?.split('?')[0]}`);
    if (route === undefined) return sendJson(res, 404, NOT_FOUND);
    if (performance.now() - createdAt < settings.loadMs) return sendJson(res, 503, LOADING);
    return route(req, res);
  });
}

function listRoutes(speaker: Speaker): ReadonlyMap<string, Route> {
  const { model, slots } = speaker;
  const created = Math.floor(Date.now() / 1000);
  const post = (format: Format): Route => {
    return (req, res) => {
      answer(speaker, format, req, res).catch((error: unknown) => refuse(res, error));
    };
  };
  const health = show(() => ({ status: 'ok' }));
  const models = show(() => showModels(model, created));
  return new Map<string, Route>([
    ['GET /health', health],
    ['GET /v1/health', health],
    ['GET /v1/models', models],
    ['GET /models', models],
    ['GET /props', show(() => showProps(model, slots.all))],
    ['GET /slots', (req, res) => sendSlots(slots, req, res)],
    ['POST /v1/chat/completions', post(chatFormat)],
    ['POST /chat/completions', post(chatFormat)],
    ['POST /v1/completions', post(textFormat)],
    ['POST /completion', post(nativeFormat)],
    ['POST /completions', post(nativeFormat)],
  ]);
}

/** A route that only shows something. */
function show(makeBody: () => object): Route {
  return (_, res) => sendJson(res, 200, makeBody());
}

function sendSlots(slots: Slots, req: IncomingMessage, res: ServerResponse): void {
  const mustHaveFree = req.url?.includes('fail_on_no_slot') === true;
  const hasFree = slots.all.some((slot) => !slot.isProcessing);
  if (mustHaveFree && !hasFree) sendJson(res, 503, NO_SLOT);
  else sendJson(res, 200, showSlots(slots.all));
}

function allowEverything(res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Credentials', 'true');
  res.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE, OPTIONS');
  res.setHeader('Access-Control-Allow-Headers', '*');
  res.setHeader('Content-Type', 'text/html');
  res.end();
}
