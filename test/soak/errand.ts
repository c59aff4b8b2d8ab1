import type { Random } from '../bench/sim/random.ts';
import { MODELS } from './soakMachine.ts';

export type Shape =
  | 'stream'
  | 'whole'
  | 'big'
  | 'upload'
  | 'chunked'
  | 'visit'
  | 'unknown'
  | 'broken';

/** When a caller leaves: with half of its body sent, some time after it has sent all, with the head, or mid-answer. */
export type Leaving =
  | { readonly kind: 'never' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'waiting'; readonly afterMs: number }
  | { readonly kind: 'head' }
  | { readonly kind: 'body'; readonly afterChunks: number };

/** One request that a caller is going to make. */
export interface Errand {
  readonly shape: Shape;
  readonly model: string;
  readonly method: 'POST' | 'GET';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly leaving: Leaving;
  /** How long the caller thinks before. */
  readonly pauseMs: number;
}

const LEAVING_RATE = 0.1;
const MIB = 1024 * 1024;

const SHAPES: readonly (readonly [Shape, number])[] = [
  ['stream', 40],
  ['whole', 25],
  ['chunked', 5],
  ['big', 6],
  ['upload', 6],
  ['visit', 8],
  ['unknown', 5],
  ['broken', 5],
];

/** Thinks one up. Most callers stay with one model, as programs do. */
export function makeErrand(random: Random, favourite: string): Errand {
  const shape = random.pick(
    SHAPES.map(([name]) => name),
    SHAPES.map(([, weight]) => weight),
  );
  const model = random.chance(0.7) ? favourite : random.pick(MODELS);
  return {
    shape,
    model,
    ...contentOf(random, shape, model),
    leaving: random.chance(LEAVING_RATE) ? makeLeaving(random) : { kind: 'never' },
    pauseMs: random.integer(0, 300),
  };
}

/** One that nothing is odd about. */
export function plainErrand(model: string): Errand {
  const body = Buffer.from(JSON.stringify({ model, messages: [], max_tokens: 1 }));
  const way = { method: 'POST', path: '/v1/chat/completions', headers: JSON_TYPE } as const;
  return { shape: 'whole', model, ...way, body, leaving: { kind: 'never' }, pauseMs: 100 };
}

function makeLeaving(random: Random): Leaving {
  switch (random.integer(0, 4)) {
    case 0:
      return { kind: 'sending' };
    case 1:
      return { kind: 'head' };
    case 2:
      return { kind: 'body', afterChunks: random.integer(1, 5) };
    default:
      return { kind: 'waiting', afterMs: random.integer(0, 1500) };
  }
}

type Content = Pick<Errand, 'method' | 'path' | 'headers' | 'body'>;

const JSON_TYPE = { 'Content-Type': 'application/json' };

function contentOf(random: Random, shape: Shape, model: string): Content {
  const chat = { method: 'POST', path: '/v1/chat/completions', headers: JSON_TYPE } as const;
  const ask = (more: object) =>
    Buffer.from(JSON.stringify({ model, ...question(random), ...more }));
  switch (shape) {
    case 'stream':
      return { ...chat, body: ask({ stream: true }) };
    case 'whole':
    case 'chunked':
      return { ...chat, body: ask({}) };
    case 'big':
      return { ...chat, body: ask({ image: 'x'.repeat(random.integer(1, 6) * MIB) }) };
    case 'upload': {
      // Of these the example servers know nothing: a 404 of the backend's.
      const path = `/upstream/${model}/v1/audio/transcriptions`;
      const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
      return { method: 'POST', path, headers, body: formOf(random.integer(1, 4) * MIB) };
    }
    case 'visit':
      return { method: 'GET', path: `/props?model=${model}`, headers: {}, body: Buffer.alloc(0) };
    case 'unknown':
      return { ...chat, body: ask({ model: 'nobody' }) };
    case 'broken':
      return { ...chat, body: ask({}).subarray(0, -5) };
  }
}

function question(random: Random): object {
  const messages = [{ role: 'user', content: 'Who are you? '.repeat(random.integer(1, 20)) }];
  return { messages, max_tokens: random.integer(1, 40) };
}

function formOf(bytes: number): Buffer {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n';
  return Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, 7), Buffer.from('\r\n--b--\r\n')]);
}
