import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, Format } from './formats.ts';
import { Generation, type Pace } from './generation.ts';
import { readOutputLimit, readRequestBody } from './requestBody.ts';
import type { Slots } from './slots.ts';
import { RefusedError } from './wire.ts';

/** The model behind the answers. */
export interface Speaker {
  readonly model: string;
  readonly words: readonly string[];
  readonly pace: Pace;
  readonly slots: Slots;
}

/** Serves one generating request: reads it, waits for a slot, generates until done or until the caller leaves. */
export async function answer(
  speaker: Speaker,
  format: Format,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  res.once('close', () => left.abort());
  const body = await readRequestBody(req);
  const inputTokens = format.countInput(body);
  const outputTokensLimit = readOutputLimit(body, inputTokens);
  const order = { inputTokens, outputTokensLimit, isEndless: body['ignore_eos'] === true };
  const isStream = body['stream'] === true;
  // As with llama-server, the head of a stream comes before a slot is free.
  if (isStream) sendStreamHead(res);
  const slot = await speaker.slots.take(left.signal);
  if (slot === null) return;

  try {
    const generation = new Generation(order, speaker.words, speaker.pace);
    slot.generation = generation;
    const made: Answer = {
      id: `chatcmpl-${randomUUID().replaceAll('-', '')}`,
      model: speaker.model,
      created: Math.floor(Date.now() / 1000),
      slotId: slot.id,
      body,
      generation,
    };
    await (isStream ? stream : sendWhole)(res, format, made, left.signal);
  } finally {
    speaker.slots.release(slot);
  }
}

/** Answers a request that could not be served; hangs up if it is too late for that. */
export function refuse(res: ServerResponse, error: unknown): void {
  if (res.destroyed) return;
  if (error instanceof RefusedError) return sendJson(res, error.status, error.body);
  console.error(error);
  res.destroy();
}

/** Sends a whole body; after an error the connection is closed, as llama-server does. */
export function sendJson(res: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  if (status >= 400) res.setHeader('Connection', 'close');
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.writeHead(status);
  res.end(text);
}

function sendStreamHead(res: ServerResponse): void {
  res.setHeader('X-Accel-Buffering', 'no');
  res.setHeader('Content-Type', 'text/event-stream');
  res.flushHeaders();
}

async function stream(res: ServerResponse, format: Format, made: Answer, left: AbortSignal) {
  const write = (events: readonly object[]) =>
    res.write(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  for await (const word of made.generation.speak(left)) write(format.showWord(made, word));
  if (left.aborted) return;
  write(format.showEnd(made));
  res.end(format.hasDoneMark ? 'data: [DONE]\n\n' : '');
}

async function sendWhole(res: ServerResponse, format: Format, made: Answer, left: AbortSignal) {
  let text = '';
  for await (const word of made.generation.speak(left)) text += word;
  if (!left.aborted) sendJson(res, 200, format.showWhole(made, text));
}
