import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { LineWriter } from '../../src/telemetry/lineWriter.ts';

/** A stream whose every write ends when the test says so. */
function openStream(survives = true): {
  stream: Writable;
  written: string[];
  go: (error?: Error) => void;
} {
  const written: string[] = [];
  let done: ((error?: Error) => void) | null = null;
  const stream = new Writable({
    decodeStrings: false,
    // As process.stderr, which survives its errors.
    destroy(error, callback) {
      callback(error);
      const survive: unknown = Reflect.get(stream, '_undestroy');
      if (survives && typeof survive === 'function') Reflect.apply(survive, stream, []);
    },
    write(chunk: string, _encoding, callback) {
      written.push(chunk);
      done = callback;
    },
  });
  return {
    stream,
    written,
    go(error) {
      const end = done;
      done = null;
      end?.(error);
    },
  };
}

const writerOn = (stream: Writable): LineWriter =>
  new LineWriter(stream, (count) => `${count} lines are missing`);

const LONG = 'x'.repeat(100_000);

test('a reader that is too far behind costs lines, not memory, and is told how many', async () => {
  const { stream, written, go } = openStream();
  const writer = writerOn(stream);

  for (let count = 0; count < 100; count++) writer.write(LONG);
  const kept = stream.writableLength;
  while (stream.writableLength > 0) {
    go();
    await new Promise(setImmediate);
  }

  assert.ok(kept < 2 * 1024 * 1024, `${kept} bytes are kept`);
  const lines = written.filter((line) => line === `${LONG}\n`).length;
  assert.deepEqual(written.at(-1), `${100 - lines} lines are missing\n`);
  assert.ok(lines >= 10);
});

test('once the reader goes on, lines come again, behind the word of those that are missing', async () => {
  const { stream, written, go } = openStream();
  const writer = writerOn(stream);
  for (let count = 0; count < 100; count++) writer.write(LONG);

  while (stream.writableLength > 0) {
    go();
    await new Promise(setImmediate);
  }
  writer.write('again');
  go();

  assert.match(written.at(-2) ?? '', /^\d+ lines are missing\n$/);
  assert.equal(written.at(-1), 'again\n');
});

test('a line that could not be written is counted as missing, and the next one is tried', async () => {
  const { stream, written, go } = openStream();
  const writer = writerOn(stream);
  writer.write('lost');
  go(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
  await new Promise(setImmediate);

  writer.write('next');
  go();
  await new Promise(setImmediate);

  assert.deepEqual(written, ['lost\n', '1 lines are missing\n', 'next\n']);
});

test('a stream that is gone neither throws nor fails, and is not waited for', async () => {
  const { stream } = openStream(false);
  const writer = writerOn(stream);
  const closed = new Promise((resolve) => stream.once('close', resolve));
  stream.destroy(new Error('EPIPE'));
  await closed;

  for (let count = 0; count < 10; count++) writer.write('to nobody');

  await writer.flush();
});

test('a flush waits for the last line', async () => {
  const { stream, written, go } = openStream();
  const writer = writerOn(stream);
  writer.write('last');
  const ends: string[] = [];

  const flushed = writer.flush().then(() => ends.push('flushed'));
  await new Promise(setImmediate);
  ends.push('written');
  go();
  await new Promise(setImmediate);
  go();
  await flushed;

  assert.deepEqual(ends, ['written', 'flushed']);
  assert.equal(written[0], 'last\n');
});

test('a flush does not wait for a reader that takes nothing', async () => {
  const { stream } = openStream();
  const writer = writerOn(stream);
  writer.write('never read');

  await writer.flush();

  assert.ok(stream.writableLength > 0);
});
