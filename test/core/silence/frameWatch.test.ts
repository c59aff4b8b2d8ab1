import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameWatch } from '../../../src/core/silence/frameWatch.ts';

const MASKED = 0x80;

/** A frame; `opcode` may carry the bits before it. */
function frame(opcode: number, length: number, mask: 0 | typeof MASKED): number[] {
  const payload = Array.from({ length }, () => 0x81);
  return [
    opcode,
    ...lengthBytes(length, mask),
    ...(mask === 0 ? [] : [0x81, 0x89, 0, 0xff]),
    ...payload,
  ];
}

function lengthBytes(length: number, mask: number): number[] {
  if (length < 126) return [mask | length];
  if (length < 65_536) return [mask | 126, length >> 8, length & 0xff];
  return [mask | 127, 0, 0, 0, 0, 0, length >> 16, (length >> 8) & 0xff, length & 0xff];
}

const DATA = {
  text: 0x81,
  binary: 0x82,
  'a first fragment': 0x01,
  'a further fragment': 0x00,
  compressed: 0xc1,
};
const CONTROL = { close: 0x88, ping: 0x89, pong: 0x8a };
const LENGTHS = [0, 1, 125, 126, 127, 65_535, 65_536, 70_000];

for (const [what, opcode] of Object.entries(DATA)) {
  test(`a frame of data counts, whatever its length: ${what}`, () => {
    for (const mask of [0, MASKED] as const) {
      for (const length of LENGTHS) {
        const watch = new FrameWatch();
        assert.equal(watch.push(Uint8Array.from(frame(opcode, length, mask))), true);
        assert.equal(watch.isBetweenFrames, true);
      }
    }
  });
}

for (const [what, opcode] of Object.entries(CONTROL)) {
  test(`a keepalive does not count: ${what}`, () => {
    const watch = new FrameWatch();
    for (const mask of [0, MASKED] as const) {
      for (const length of [0, 1, 125]) {
        assert.equal(watch.push(Uint8Array.from(frame(opcode, length, mask))), false);
      }
    }
    assert.equal(watch.isBetweenFrames, true);
  });
}

test('frames are told apart wherever their bytes are cut', () => {
  const frames = LENGTHS.flatMap((length) => [
    { isData: true, bytes: frame(DATA.binary, length, MASKED) },
    { isData: false, bytes: frame(CONTROL.ping, Math.min(length, 125), 0) },
  ]);

  for (const size of [1, 2, 3, 7, 100, 4096]) {
    const watch = new FrameWatch();
    for (const { isData, bytes } of frames) {
      for (let at = 0; at < bytes.length; at += size) {
        assert.equal(watch.push(Uint8Array.from(bytes.slice(at, at + size))), isData);
        assert.equal(watch.isBetweenFrames, at + size >= bytes.length);
      }
    }
  }
});

test('data counts wherever it stands in a piece', () => {
  const ping = frame(CONTROL.ping, 5, 0);
  const text = frame(DATA.text, 5, 0);

  assert.equal(new FrameWatch().push(Uint8Array.from([...ping, ...text, ...ping])), true);
  assert.equal(new FrameWatch().push(Uint8Array.from([...ping, ...ping])), false);
});

test('a frame longer than any memory passes as data', () => {
  const watch = new FrameWatch();
  watch.push(Uint8Array.from([0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0]));

  assert.equal(watch.push(new Uint8Array(100_000).fill(0x89)), true);
  assert.equal(watch.isBetweenFrames, false);
});
