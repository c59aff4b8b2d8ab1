/**
 * A model server that goes wrong as it is told, as a program:
 *   node moodyServer.ts --model chat --port 1234
 *     [--health 503,200]   what /health answers, one after the other; the last for ever
 *     [--healths N]        it dies once /health has said 200 that often
 *     [--posts N]          it dies at the request after so many
 *     [--breaks N]         it breaks off so many requests
 *     [--lingers N]        after TERM it goes on until /health was asked so often
 */
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { chatBody } from '../machine/heldAnswers.ts';

const RETRY_MS = 10;

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: '' },
    port: { type: 'string' },
    health: { type: 'string', default: '200' },
    healths: { type: 'string', default: 'Infinity' },
    posts: { type: 'string', default: 'Infinity' },
    breaks: { type: 'string', default: '0' },
    lingers: { type: 'string', default: '0' },
  },
});

const statuses = values.health.split(',').map(Number);
let healthsLeft = Number(values.healths);
let postsLeft = Number(values.posts);
let breaksLeft = Number(values.breaks);
let lingersLeft = Number(values.lingers);
let isEnding = false;

process.on('SIGTERM', () => {
  isEnding = true;
  if (lingersLeft === 0) process.exit(0);
});

const server = createServer((req, res) => {
  req.resume();
  res.setHeader('Connection', 'close');
  res.setHeader('Content-Type', 'application/json');
  if (req.url === '/health') {
    const status = (statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 200;
    if (status === 200) healthsLeft -= 1;
    if (isEnding) lingersLeft -= 1;
    res.once('finish', () => {
      if (healthsLeft === 0 || (isEnding && lingersLeft <= 0)) process.exit(1);
    });
    return void res.writeHead(status).end('{}');
  }
  if (req.url === '/v1/models') return void res.end(`{"data": [{"id": "${values.model}"}]}`);
  if (req.method !== 'POST') return void res.writeHead(404).end('{}');
  if (postsLeft-- === 0) process.exit(1);
  if (breaksLeft-- > 0) return void req.socket.destroy();
  return void res.end(chatBody(values.model, 'stop'));
});

// The one before may hold the port a little longer.
server.on('error', () => setTimeout(listen, RETRY_MS));
listen();

function listen(): void {
  server.listen(Number(values.port), '127.0.0.1');
}
