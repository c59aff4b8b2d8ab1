import { gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import type { ModelAnswer } from '../support/machine.ts';

/** What a model server may do with a request, as its header X-Mood says; `path` is where such an answer comes from. */
export interface Mood {
  readonly path: string;
  readonly answer: (res: ServerResponse) => unknown;
}

const TIMINGS =
  '{"cache_n":5,"prompt_n":7,"prompt_per_second":500,"predicted_n":9,"predicted_per_second":50}';
const USAGE = '{"prompt_tokens":12,"completion_tokens":9}';
const WORD = 'data: {"choices":[{"delta":{"content":"word"}}]}\n\n';
const DONE = 'data: [DONE]\n\n';
const CHAT = '/v1/chat/completions';

/** A refusal or failure of the server's own. */
const error = (status: number): Mood => ({
  path: CHAT,
  answer: (res) =>
    res.writeHead(status, JSON_TYPE).end(`{"error":{"code":${status},"message":"no"}}`),
});

const JSON_TYPE = { 'Content-Type': 'application/json' };
const SSE = { 'Content-Type': 'text/event-stream' };
const NDJSON = { 'Content-Type': 'application/x-ndjson' };

/** A stream whose end is this. */
const stream = (end: string): Mood => ({
  path: CHAT,
  answer(res) {
    res.writeHead(200, SSE).write(WORD);
    setImmediate(() => res.end(end));
  },
});

export const moods: Readonly<Record<string, Mood>> = {
  whole: {
    path: CHAT,
    answer: (res) =>
      res.writeHead(200, JSON_TYPE).end(`{"choices":[],"usage":${USAGE},"timings":${TIMINGS}}`),
  },
  stream: stream(`data: {"choices":[],"usage":${USAGE},"timings":${TIMINGS}}\n\n${DONE}`),
  countsOnly: stream(`data: {"choices":[],"usage":${USAGE}}\n\n${DONE}`),
  nothingTold: stream(DONE),
  errorInside: stream(`data: {"error":{"code":500,"message":"out of memory"}}\n\n${DONE}`),
  notJson: {
    path: CHAT,
    answer: (res) => res.writeHead(200, { 'Content-Type': 'text/plain' }).end('word'),
  },
  halfJson: {
    path: CHAT,
    answer: (res) => res.writeHead(200, JSON_TYPE).end(`{"choices":[],"usage":{"prompt_tokens":1`),
  },
  compressed: {
    path: CHAT,
    answer: (res) =>
      res
        .writeHead(200, { ...SSE, 'Content-Encoding': 'gzip' })
        .end(gzipSync(`${WORD}data: {"usage":${USAGE}}\n\n${DONE}`)),
  },
  embedding: {
    path: '/v1/embeddings',
    answer: (res) =>
      res.writeHead(200, JSON_TYPE).end('{"data":[],"usage":{"prompt_tokens":4,"total_tokens":4}}'),
  },
  ollama: {
    path: '/api/chat',
    answer: (res) =>
      res
        .writeHead(200, NDJSON)
        .end(
          '{"message":{"content":"word"},"done":false}\n{"done":true,"prompt_eval_count":6,"eval_count":3,"eval_duration":100000000}\n',
        ),
  },
  other: { path: '/v1/audio/transcriptions', answer: (res) => res.end('what was said') },
  badRequest: error(400),
  notFound: error(404),
  broken: error(500),
  busy: error(503),
  cut: {
    path: CHAT,
    answer(res) {
      res.writeHead(200, SSE).write(WORD);
      setImmediate(() => res.destroy());
    },
  },
  reset: { path: CHAT, answer: (res) => res.destroy() },
  gibberish: { path: CHAT, answer: (res) => res.socket?.end('this is no HTTP\r\n\r\n') },
  slow: {
    path: CHAT,
    answer(res) {
      const timer = setTimeout(() => res.writeHead(200, JSON_TYPE).end(`{"usage":${USAGE}}`), 100);
      res.once('close', () => clearTimeout(timer));
    },
  },
};

/** Answers as the request wants it. */
export const answerByMood: ModelAnswer = (_model, req, res) => {
  if (req.url === '/slots') return void res.writeHead(404).end();
  req.resume().once('end', () => {
    const mood = moods[String(req.headers['x-mood'])];
    if (mood === undefined) res.end('{}');
    else mood.answer(res);
  });
};
