/**
 * An example model server, as a program:
 *   node modelServer.ts --model chat --port 1234 [--host 127.0.0.1] [--load-ms 1500] [--slots 4]
 *                       [--words-per-second 40] [--parent PID]
 * With --parent it ends itself soon after that process has ended, however that came about.
 */
import { parseArgs } from 'node:util';
import { createExampleModel } from './exampleModel.ts';
import { watchParent } from './parentWatch.ts';

const INPUT_WORDS_PER_SECOND = 2000;

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'chat' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '0' },
    'load-ms': { type: 'string', default: '1500' },
    slots: { type: 'string', default: '4' },
    'words-per-second': { type: 'string', default: '40' },
    parent: { type: 'string' },
  },
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));
if (values.parent !== undefined) {
  watchParent(readNumber('parent', values.parent), () => process.exit(0));
}

const server = createExampleModel({
  model: values.model,
  loadMs: readNumber('load-ms', values['load-ms']),
  slots: readNumber('slots', values.slots),
  pace: {
    inputTokensPerSecond: INPUT_WORDS_PER_SECOND,
    outputTokensPerSecond: readNumber('words-per-second', values['words-per-second']),
  },
});
server.once('error', (error) => {
  console.error(`${values.model}: ${error.message}`);
  process.exit(1);
});
server.listen(readNumber('port', values.port), values.host, () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : address;
  console.log(`${values.model} listens on http://${values.host}:${port}`);
});

function readNumber(name: string, text: string): number {
  const number = Number(text);
  if (text === '' || !Number.isFinite(number) || number < 0) {
    console.error(`--${name} must be a number, not "${text}"`);
    process.exit(2);
  }
  return number;
}
