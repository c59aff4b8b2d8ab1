import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { usageRecord } from '../../src/core/publicRecord.ts';

import { linesOf, streamedAtNoon, swappedAtNoon } from './logText.ts';

/** Everything by which a text could steer a terminal or break a line. */
const HOSTILE = 'a\x1b[2J\x9b31m\r\nb\u2028c\u202ed\x07\0\ud800';
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

test('where no terminal is, a request is one line of JSON with the keys of /usage', () => {
  const record = streamedAtNoon();

  const [line = '', ...more] = linesOf((log) => log.requestClosed(record));

  assert.deepEqual(more, []);
  assert.deepEqual(JSON.parse(line), {
    time: '2026-07-01T12:00:00.000Z',
    level: 'info',
    event: 'request',
    ...usageRecord(record),
  });
});

test('a line of JSON says when, which trace, who, and where the time went', () => {
  const [line = ''] = linesOf((log) => log.requestClosed(streamedAtNoon()));

  const { ts, trace_id, caller, total_ms, queue_ms, swap_ms, ttfb_ms, ttft_ms, generation_ms } =
    JSON.parse(line);
  assert.deepEqual(
    [ts, trace_id, caller, total_ms, queue_ms, swap_ms, ttfb_ms, ttft_ms, generation_ms],
    [
      '2026-07-01T12:00:00.000Z',
      '4bf92f3577b34da6a3ce929d0e0e4736',
      'anna',
      20_000,
      15_000,
      12_400,
      100,
      400,
      3100,
    ],
  );
});

test('where no terminal is, a swap is one line of JSON with the keys of /swaps, and its trace', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

  const [line = ''] = linesOf((log) => log.swapClosed(swappedAtNoon({ traceId })));

  assert.deepEqual(JSON.parse(line), {
    time: '2026-07-01T12:00:00.000Z',
    level: 'info',
    event: 'swap',
    id: 1,
    ts: '2026-07-01T12:00:00.000Z',
    from: ['gemma'],
    to: 'qwen',
    cause: { request_id: 1, caller: 'anna', why: 'it is next' },
    outcome: 'ok',
    script_ms: 3100,
    ready_ms: 9300,
    total_ms: 12_400,
    waited: 4,
    error: null,
    trace_id: traceId,
  });
});

test('a line of JSON says how severe it is', () => {
  const lines = linesOf((log) => {
    for (const outcome of ['served', 'abandoned', 'refused', 'rejected', 'failed', 'cut'] as const)
      log.requestClosed(streamedAtNoon({ outcome }));
    log.swapClosed(swappedAtNoon({ outcome: 'timeout' }));
    log.unloadFailed('qwen', 'exit code 1', 0);
  });

  assert.deepEqual(
    lines.map((line) => JSON.parse(line).level),
    ['info', 'info', 'warn', 'warn', 'error', 'error', 'error', 'error'],
  );
});

test('on a terminal a request and a swap are lines in columns', () => {
  const lines = linesOf((log) => {
    log.requestClosed(streamedAtNoon());
    log.swapClosed(swappedAtNoon());
    log.requestClosed(streamedAtNoon({ status: 499, outcome: 'abandoned', model: 'a-long-name' }));
    log.requestClosed(streamedAtNoon());
  }, 1);

  const shown = lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, ''));
  const facts = 'queue 15.0 s · swap 12.4 s · prompt 400 ms · generation 3.1 s';
  const tokens = '237 → 48 tokens · 52.9 tok/s';
  assert.deepEqual(shown, [
    ` qwen      200 served     anna          ${facts} · ${tokens}`,
    ' qwen      swap ok        anna          in place of gemma · script 3.1 s · ready 9.3 s · 4 waited',
    ` a-long-name  499 abandoned  anna          ${facts} · ${tokens}`,
    ` qwen         200 served     anna          ${facts} · ${tokens}`,
  ]);
});

test('on a terminal what is not known is left out, and what went wrong is said', () => {
  const nothing = { dispatchedAt: null, firstTokenAt: null, lastEventAt: null, usage: null };
  const [line = ''] = linesOf((log) => {
    log.requestClosed(
      streamedAtNoon({
        ...nothing,
        model: null,
        status: 404,
        outcome: 'rejected',
        swapMs: 0,
        endedAt: streamedAtNoon().arrivedAt,
        error: 'no model is called "x";\n  there are: qwen',
      }),
    );
  }, 1);

  assert.match(
    line,
    /^\S+ {2}\/v1\/chat\/completions {2}404 rejected {3}anna {10}no model is called "x"; there are: qwen$/,
  );
});

test('on a terminal with colours what went wrong is red, and without them nothing is coloured', () => {
  const failed = streamedAtNoon({ outcome: 'failed', status: 502 });

  const [coloured = ''] = linesOf((log) => log.requestClosed(failed), 8);
  const [plain = ''] = linesOf((log) => log.requestClosed(failed), 1);

  assert.ok(coloured.includes('\x1b[31m502 failed   \x1b[39m'));
  assert.equal(plain, stripVTControlCharacters(coloured));
  assert.doesNotMatch(plain, STEERING);
});

for (const [where, colourBits] of [
  ['in JSON', null],
  ['on a terminal', 1],
] as const) {
  test(`names and errors can neither break a line nor steer a terminal, ${where}`, () => {
    const hostile = { caller: HOSTILE, path: HOSTILE, error: HOSTILE, model: HOSTILE };
    const cause = { requestId: 7, caller: HOSTILE, why: HOSTILE };

    const lines = linesOf((log) => {
      log.requestClosed(streamedAtNoon(hostile));
      log.swapClosed(swappedAtNoon({ to: HOSTILE, from: [HOSTILE], cause, error: HOSTILE }));
      log.unloadFailed(HOSTILE, HOSTILE, 0);
      log.mistakeMade(new Error(HOSTILE));
    }, colourBits);

    assert.equal(lines.length, 4);
    for (const line of lines) assert.doesNotMatch(line, STEERING);
    for (const line of lines) assert.match(line, /\\u001b\[2J\\u009b31m/);
  });
}

test('in JSON such names still mean what they meant', () => {
  const [line = ''] = linesOf((log) => log.requestClosed(streamedAtNoon({ caller: HOSTILE })));

  assert.equal(JSON.parse(line).caller, HOSTILE);
});

test('a recorder that throws is told with the place', () => {
  const [line = ''] = linesOf((log) => log.mistakeMade(new TypeError('a bug')));

  const { level, event, message } = JSON.parse(line);
  assert.deepEqual([level, event], ['error', 'mistake']);
  assert.match(message, /^TypeError: a bug\n +at .*log\.test\.ts/);
});
