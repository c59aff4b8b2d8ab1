import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureFootprint } from '../soak/footprint.ts';
import { assertRecorded } from '../support/aftermath.ts';
import { beginAnswer } from '../support/begunAnswer.ts';
import { fill } from '../support/fakeBackend.ts';
import { NOISE_BYTES, streamThrough } from './longStream.ts';

test('a stream of 300 MB takes no more memory than its first piece, and its usage is found', async (t) => {
  const { sentBytes, receivedBytes, tokens, heldBytes, record } = await streamThrough(t, 300);

  const [first = 0, ...later] = heldBytes;
  t.diagnostic(`held: ${heldBytes.map((bytes) => (bytes / 1e6).toFixed(1)).join(' ')} MB`);
  assert.equal(receivedBytes, sentBytes);
  assert.ok(later.length > 5);
  assert.ok(Math.max(...later) - first < NOISE_BYTES);
  assert.equal(record.outcome, 'served');
  assert.equal(record.usage?.outputTokens, tokens);
});

test('a caller that does not read stops its backend, and Jano keeps next to nothing meanwhile', async (t) => {
  const head =
    'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
  const { jano, caller, backend } = await beginAnswer(t, head);
  await caller.until((text) => text.endsWith('\r\n\r\n'));
  caller.socket.pause();
  const before = measureFootprint().heldBytes;

  // Were all of it taken, this would go on for ever.
  await fill(backend);
  const keptBytes = measureFootprint().heldBytes - before;
  const { bytes: passedBytes } = [...jano.snapshot().running][0] ?? { bytes: 0 };
  caller.socket.resume();
  backend.end('0\r\n\r\n');
  const received = await caller.until((text) => text.endsWith('\r\n0\r\n\r\n'));

  t.diagnostic(`${keptBytes} bytes are kept, ${passedBytes} have passed`);
  assert.ok(keptBytes < NOISE_BYTES);
  assert.ok(passedBytes < backend.bytesWritten);
  assert.ok(received.length > passedBytes);
  await assertRecorded(jano, ['200 served']);
});
