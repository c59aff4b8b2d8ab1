import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { answerTexts } from '../fuzz/captures.ts';

/** A request of a route, as bytes, and what its backend says. */
export interface Passage {
  readonly name: string;
  readonly request: Buffer;
  readonly answer: (req: IncomingMessage, res: ServerResponse) => unknown;
}

const MODEL = '"model":"qwen"';
const ANSWER = `{"id":"resp_1","choices":[{"message":{"content":"渐🌍é"}}],"usage":{"prompt_tokens":75,"completion_tokens":30}}`;
const STREAM = [
  ': ping\n\n',
  'data: {"choices":[{"delta":{"content":"渐🌍é"}}]}\r\n\r\n',
  'event: x\nid: 1\ndata: {"choices":[],"usage":{"prompt_tokens":75,"completion_tokens":30}}\n\n',
  'data: [DONE]\n\n',
].join('');
const NDJSON = `{"message":{"content":"é"},"done":false}\n{"done":true,"eval_count":3,"eval_duration":1000}\n`;

const JSON_ROUTES = `/v1/chat/completions /v1/completions /v1/embeddings /v1/responses /v1/messages
  /v1/messages/count_tokens /rerank /v1/rerank /reranking /v1/reranking /score /completion /completions
  /chat/completions /embedding /embeddings /infill /tokenize /detokenize /apply-template /api/chat
  /api/generate /api/embed /api/embeddings /api/show /v1/audio/speech /v1/images/generations
  /upstream/qwen/anything/at%2Fall?a=1&a=2`.split(/\s+/);
const STREAM_ROUTES =
  '/v1/chat/completions /v1/completions /v1/responses /v1/messages /completion'.split(' ');
const FORM_ROUTES = '/v1/audio/transcriptions /v1/audio/translations /v1/images/edits'.split(' ');
const GET_ROUTES = '/props?model=qwen /slots?model=qwen /lora-adapters?model=qwen'.split(' ');
const CODINGS = {
  gzip: gzipSync,
  br: brotliCompressSync,
  deflate: deflateSync,
  zstd: zstdCompressSync,
};

const JSON_TYPE = 'application/json; charset=utf-8';
const SSE = 'text/event-stream';

/** Every route that passes through, each way in which it may. */
export const passages: readonly Passage[] = [
  ...JSON_ROUTES.map((path) => post(path, path, { stream: false }, plain(JSON_TYPE, ANSWER))),
  ...STREAM_ROUTES.map((path) =>
    post(`${path}, streamed`, path, { stream: true }, dripping(SSE, STREAM)),
  ),
  ...['/api/chat', '/api/generate'].map((path) =>
    post(`${path}, streamed`, path, {}, dripping('application/x-ndjson', NDJSON)),
  ),
  ...FORM_ROUTES.map((path) => upload(path)),
  ...GET_ROUTES.map((path) => passage(path, `GET ${path}`, '', '', plain(JSON_TYPE, ANSWER))),
  ...Object.entries(CODINGS).map(([coding, compress]) =>
    post(`a stream in ${coding}`, '/v1/chat/completions', { stream: true }, (_req, res) =>
      res
        .writeHead(200, { 'content-type': SSE, 'content-encoding': coding })
        .end(compress(STREAM.repeat(500))),
    ),
  ),
  post('a refusal', '/v1/chat/completions', {}, (_req, res) =>
    res.writeHead(400, 'No Way', { 'Content-Type': JSON_TYPE }).end('{"error":{"message":"no"}}'),
  ),
  post('a failure', '/v1/messages', {}, (_req, res) => res.writeHead(529).end('overloaded')),
  post(
    'an error inside',
    '/v1/chat/completions',
    {},
    dripping(SSE, 'data: {"error":{"message":"no"}}\n\n'),
  ),
  post('an answer that is cut', '/v1/chat/completions', {}, (_req, res) => {
    res.writeHead(200, { 'content-type': SSE }).write(STREAM);
    setImmediate(() => res.destroy());
  }),
  post('trailers', '/v1/chat/completions', {}, (_req, res) => {
    res.writeHead(200, { Trailer: 'X-Sum' }).write(ANSWER);
    res.addTrailers({ 'X-Sum': '42' });
    res.end();
  }),
  passage(
    'a trace of the caller’s',
    'POST /v1/chat/completions',
    'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\ntracestate: a=1\r\n',
    `{${MODEL}}`,
    plain(JSON_TYPE, ANSWER),
  ),
  passage(
    'an embedding of a megabyte',
    'POST /v1/embeddings',
    '',
    `{${MODEL},"input":"${'x'.repeat(1_000_000)}"}`,
    plain(JSON_TYPE, `{"data":[${'0.1,'.repeat(300_000)}1],"usage":{"prompt_tokens":4}}`),
  ),
  ...answerTexts.map((text, index) => captured(index, text)),
];

function plain(contentType: string, body: string): Passage['answer'] {
  return (_req, res) =>
    res.writeHead(200, { 'content-type': contentType, 'X-Dup': ['1', '2'] }).end(body);
}

/** A few bytes at a time, cut in the middle of letters. */
function dripping(contentType: string, body: string): Passage['answer'] {
  return async (_req, res) => {
    res.writeHead(200, { 'content-type': contentType });
    const bytes = Buffer.from(body);
    for (let at = 0; at < bytes.length; at += 7) {
      await new Promise<void>((resolve) => {
        res.write(bytes.subarray(at, at + 7), () => setImmediate(resolve));
      });
    }
    res.end();
  };
}

function post(name: string, path: string, more: object, answer: Passage['answer']): Passage {
  const body = `{ ${MODEL}, "seed": 9007199254740993, "more": ${JSON.stringify(more)} }`;
  return passage(name, `POST ${path}`, 'Content-Type: application/json\r\n', body, answer);
}

function upload(path: string): Passage {
  const file = Buffer.alloc(300_000, 'RIFF\r\n\0\xff', 'latin1').toString('latin1');
  const body = `${part('name="file"; filename="a.wav"', file)}${part('name="model"', 'qwen')}--b--\r\n`;
  const type = 'Content-Type: multipart/form-data; boundary=b\r\n';
  return passage(path, `POST ${path}`, type, body, plain(JSON_TYPE, '{"text":"said"}'));
}

function part(head: string, content: string): string {
  return `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
}

/** What a real llama-server has answered, byte for byte. */
function captured(index: number, text: string): Passage {
  return post(`capture ${index}`, '/v1/chat/completions', {}, ({ socket }) => {
    socket.end(Buffer.from(text, 'latin1'));
  });
}

/** Header lines and body are latin1. */
function passage(
  name: string,
  requestLine: string,
  lines: string,
  body: string,
  answer: Passage['answer'],
): Passage {
  const length = requestLine.startsWith('POST') ? `Content-Length: ${body.length}\r\n` : '';
  const head = `${requestLine} HTTP/1.1\r\nHost: jano\r\nX-Case: ${encodeURIComponent(name)}\r\nX-Dup: 1\r\n${lines}x-dup: 2\r\n${length}Connection: close\r\n\r\n`;
  return { name, request: Buffer.from(head + body, 'latin1'), answer };
}
