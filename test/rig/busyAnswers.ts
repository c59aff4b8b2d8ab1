import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Random } from '../bench/sim/random.ts';
import { answerByMood } from '../proofs/moods.ts';
import type { ModelAnswer } from '../support/machine.ts';

/** What a model takes for its answers: those of life, divided by `speed`. */
export interface Pace {
  readonly speed: number;
  /** How long generating an answer takes, from and to. */
  readonly answerMs: readonly [number, number];
}

/** Tokens and times of one answer. */
interface Plan {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly promptMs: number;
  readonly outputTokens: number;
  readonly outputMs: number;
}

const question = z.object({
  stream: z.boolean().default(false),
  messages: z.array(z.unknown()).default([]),
  /** Who has some gets a call of one. */
  tools: z.array(z.unknown()).optional(),
});

type Question = z.infer<typeof question>;

const PIECES = 12;
const TOKENS_PER_MESSAGE = 350;
/** Tokens per second: of the slowest model, and by how much each next one is faster. */
const SLOWEST = 16;
const FASTER = 13;
/** Reading is so many times as fast as writing. */
const READING = 25;
const EMBEDDING_MS = 60;

/** Models that take their time as real ones do, each at a speed of its own, and report it; a request with X-Mood gets what that says. */
export function answerBusily(
  names: readonly string[],
  random: Random,
  { speed, answerMs }: Pace,
): ModelAnswer {
  const plan = (model: string, { messages }: Question): Plan => {
    const usual = (SLOWEST + FASTER * names.indexOf(model)) * speed;
    const rate = usual * random.between(0.85, 1.1);
    const promptTokens = Math.max(1, messages.length) * TOKENS_PER_MESSAGE + random.integer(1, 99);
    // All but the newest of a conversation is known already.
    const cachedTokens = Math.max(0, messages.length - 1) * TOKENS_PER_MESSAGE;
    const outputMs = random.between(...answerMs) / speed;
    return {
      promptTokens,
      cachedTokens,
      promptMs: ((promptTokens - cachedTokens) / (rate * READING)) * 1000,
      outputTokens: Math.max(2, Math.round((rate * outputMs) / 1000)),
      outputMs,
    };
  };
  return (model, req, res) => {
    if (req.headers['x-mood'] !== undefined || req.url === '/slots') {
      return answerByMood(model, req, res);
    }
    const left = new AbortController();
    res.once('close', () => left.abort());
    const answer = async (): Promise<void> => {
      const asked = question.parse(await json(req));
      if (req.url === '/v1/embeddings') await embed(res, random, speed, left.signal);
      else await speak(res, asked, plan(model, asked), left.signal);
    };
    answer().catch(() => res.destroy());
  };
}

async function embed(
  res: ServerResponse,
  random: Random,
  speed: number,
  signal: AbortSignal,
): Promise<void> {
  await delay((EMBEDDING_MS * random.between(0.5, 2)) / speed, undefined, { signal });
  const tokens = random.integer(100, 900);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  res.writeHead(200, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify({ data: [], usage }));
}

async function speak(
  res: ServerResponse,
  { stream, tools }: Question,
  plan: Plan,
  signal: AbortSignal,
): Promise<void> {
  const { promptMs, outputMs } = plan;
  const pause = (ms: number): Promise<void> => delay(ms, undefined, { signal });
  const reason = tools === undefined ? 'stop' : 'tool_calls';
  await pause(promptMs);
  if (!stream) {
    await pause(outputMs);
    const choices = [{ finish_reason: reason, message: { content: 'word' } }];
    res.writeHead(200, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify({ choices, ...tellOf(plan) }));
    return;
  }
  res.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (let piece = 0; piece < PIECES; piece += 1) {
    res.write(event({ choices: [{ finish_reason: null, delta: { content: 'word ' } }] }));
    await pause(outputMs / PIECES);
  }
  res.write(event({ choices: [{ finish_reason: reason, delta: {} }] }));
  res.end(`${event({ choices: [], ...tellOf(plan) })}data: [DONE]\n\n`);
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** As llama-server tells it. */
function tellOf({ promptTokens, cachedTokens, promptMs, outputTokens, outputMs }: Plan): object {
  const read = promptTokens - cachedTokens;
  return {
    usage: { prompt_tokens: promptTokens, completion_tokens: outputTokens },
    timings: {
      cache_n: cachedTokens,
      prompt_n: read,
      prompt_ms: promptMs,
      prompt_per_second: (read / promptMs) * 1000,
      predicted_n: outputTokens,
      predicted_ms: outputMs,
      predicted_per_second: (outputTokens / outputMs) * 1000,
    },
  };
}
