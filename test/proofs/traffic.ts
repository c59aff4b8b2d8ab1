import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../bench/sim/random.ts';
import type { FakeMachine } from '../support/machine.ts';
import type { RunningJano } from '../support/startJano.ts';
import { moods } from './moods.ts';

export const MODELS = ['a', 'b', 'c'] as const;

/** More than have a label of their own in /metrics. */
const CALLERS = 30;
/** A model's server is killed for so many requests. */
const REQUESTS_PER_KILL = 60;
const LEAVING_RATE = 0.25;

type Leaving = 'never' | 'sending' | 'waiting' | 'head' | 'answer';

/** Any traffic: many callers at once for models, some of which do not exist, who get all kinds of answers and some of whom leave. Resolves when all callers are gone. */
export async function play(
  jano: RunningJano,
  machine: FakeMachine,
  random: Random,
  requests: number,
): Promise<void> {
  const left = Array.from({ length: requests }, (_, index) => index);
  const call = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (next % REQUESTS_PER_KILL === 1) machine.kill(random.pick(['a', 'b']));
      await send(jano, random);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, () => call()));
}

async function send(jano: RunningJano, random: Random): Promise<void> {
  const [mood, { path }] = random.pick(Object.entries(moods));
  const kind = random.pick(['plain', 'unknown', 'broken', 'visit', 'preflight'], [20, 2, 1, 2, 1]);
  const model = kind === 'unknown' ? `m${random.integer(0, 999)}` : random.pick(MODELS);
  const text = JSON.stringify({ model, messages: [], filler: 'x'.repeat(random.integer(0, 5000)) });
  const body = kind === 'broken' ? text.slice(0, -3) : text;
  const outgoing = request(jano.url + (kind === 'visit' ? `/upstream/${model}/props` : path), {
    method: kind === 'visit' ? 'GET' : kind === 'preflight' ? 'OPTIONS' : 'POST',
    agent: false,
    headers: {
      'Content-Type': 'application/json',
      'X-Caller': `caller ${random.integer(1, CALLERS)}`,
      'X-Mood': mood,
      ...(kind === 'preflight' ? { 'Access-Control-Request-Method': 'POST' } : {}),
    },
  });
  const leaving = random.chance(LEAVING_RATE)
    ? random.pick<Leaving>(['sending', 'waiting', 'head', 'answer'])
    : 'never';
  const closed = new Promise<void>((resolve) => outgoing.once('close', () => resolve()));
  outgoing.on('error', () => undefined).on('response', (response) => receive(response, leaving));
  await hand(outgoing, kind === 'visit' ? '' : body, leaving, random.integer(0, 80));
  await closed;
}

async function hand(
  outgoing: ClientRequest,
  body: string,
  leaving: Leaving,
  patienceMs: number,
): Promise<void> {
  if (leaving === 'sending' && body !== '') {
    outgoing.write(body.slice(0, body.length / 2), () => outgoing.destroy());
    return;
  }
  outgoing.end(body);
  if (leaving !== 'waiting') return;
  await delay(patienceMs);
  outgoing.destroy();
}

function receive(response: IncomingMessage, leaving: Leaving): void {
  response.on('error', () => undefined);
  if (leaving === 'head') response.destroy();
  if (leaving === 'answer') response.once('data', () => response.destroy());
  response.resume();
}
