// A stream as long as is asked for, and what the process that runs Jano held meanwhile:
//   npm run long-stream -- --megabytes 1024
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArgs } from 'node:util';
import { NOISE_BYTES, streamThrough } from './longStream.ts';

const { values } = parseArgs({ options: { megabytes: { type: 'string', default: '1024' } } });
const megabytes = Number(values.megabytes);

test(`a stream of ${megabytes} MB`, async (t) => {
  const beganAt = performance.now();

  const { sentBytes, receivedBytes, tokens, heldBytes, record } = await streamThrough(t, megabytes);

  const seconds = ((performance.now() - beganAt) / 1000).toFixed(1);
  const held = heldBytes.map((bytes) => (bytes / 1e6).toFixed(1)).join(' ');
  process.stdout.write(
    `${receivedBytes} bytes in ${seconds} s, ${record.usage?.outputTokens} tokens; held at each tenth, in MB: ${held}\n`,
  );
  const [first = 0, ...later] = heldBytes;
  assert.equal(receivedBytes, sentBytes);
  assert.ok(Math.max(...later) - first < NOISE_BYTES);
  assert.equal(record.usage?.outputTokens, tokens);
});
