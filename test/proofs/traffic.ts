import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../bench/sim/random.ts';
import type { FakeMachine } from '../support/machine.ts';
import type { RunningJano } from '../support/startJano.ts';
import { moods } from './moods.ts';

export const MODELS = ['a', 'b', 'c'] as const;
/** It is always there. */
export const PINNED = 'c';

/** More than have a label of their own in /metrics. */
const CALLERS = 30;
/** A model's server is killed for so many requests. */
const REQUESTS_PER_KILL = 60;
const LEAVING_RATE = 0.25;

type Leaving = 'never' | 'sending' | 'waiting' | 'head' | 'answer';

/** What somebody asks for, and how long it stays. */
interface Errand {
  readonly mood: string;
  readonly kind: 'plain' | 'unknown' | 'broken' | 'visit' | 'preflight';
  readonly model: string;
  readonly leaving: Leaving;
}

/** Any traffic: at first each kind of answer once, from a pinned model, so that chance leaves none out; then many callers at once for models, some of which do not exist, some of whom leave. Resolves when all callers are gone. */
export async function play(
  jano: RunningJano,
  machine: FakeMachine,
  random: Random,
  requests: number,
): Promise<void> {
  for (const mood of Object.keys(moods)) {
    await send(jano, random, { mood, kind: 'plain', model: PINNED, leaving: 'never' });
  }
  const left = Array.from({ length: requests }, (_, index) => index);
  const call = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (next % REQUESTS_PER_KILL === 1) machine.kill(random.pick(['a', 'b']));
      await send(jano, random, drawErrand(random));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, () => call()));
}

function drawErrand(random: Random): Errand {
  const kind = random.pick<Errand['kind']>(
    ['plain', 'unknown', 'broken', 'visit', 'preflight'],
    [20, 2, 1, 2, 1],
  );
  return {
    mood: random.pick(Object.keys(moods)),
    kind,
    model: kind === 'unknown' ? `m${random.integer(0, 999)}` : random.pick(MODELS),
    leaving: random.chance(LEAVING_RATE)
      ? random.pick<Leaving>(['sending', 'waiting', 'head', 'answer'])
      : 'never',
  };
}

async function send(
  jano: RunningJano,
  random: Random,
  { mood, kind, model, leaving }: Errand,
): Promise<void> {
  const text = JSON.stringify({ model, messages: [], filler: 'x'.repeat(random.integer(0, 5000)) });
  const body = kind === 'broken' ? text.slice(0, -3) : text;
  const outgoing = request(
    jano.url + (kind === 'visit' ? `/upstream/${model}/props` : moods[mood]?.path),
    {
      method: kind === 'visit' ? 'GET' : kind === 'preflight' ? 'OPTIONS' : 'POST',
      agent: false,
      headers: {
        'Content-Type': 'application/json',
        'X-Caller': `caller ${random.integer(1, CALLERS)}`,
        'X-Mood': mood,
        ...(kind === 'preflight' ? { 'Access-Control-Request-Method': 'POST' } : {}),
      },
    },
  );
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
