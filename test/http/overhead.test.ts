import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { RequestRecord } from '../../src/core/record.ts';
import { untilRecorded } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { type RunningJano, startJanoFor } from '../support/startJano.ts';

const HELD_MS = 150;

test('the time of the backend is not what Jano added', async (t) => {
  const url = await startBackend(t, async (_req, res) => {
    await delay(HELD_MS);
    res.write('a');
    await delay(HELD_MS);
    res.end('b');
  });
  const jano = await startJanoFor(t, url);

  await ask(jano);

  const { totalMs, overheadMs } = await newest(jano, 1);
  assert.ok(overheadMs > 0 && overheadMs <= totalMs - 2 * HELD_MS + 2);
});

test('neither is the time that the body takes to come', async (t) => {
  const url = await startBackend(t, (_req, res) => res.end());
  const jano = await startJanoFor(t, url);

  const head = 'POST /v1/x HTTP/1.1\r\nHost: jano\r\nContent-Length: 2\r\n\r\n';
  const arrived = once(jano.server, 'request');
  const caller = await openRaw(t, jano.port, `${head}a`);
  await arrived;
  await delay(HELD_MS);
  caller.socket.write('b');

  const { totalMs, overheadMs } = await newest(jano, 1);
  assert.ok(overheadMs > 0 && overheadMs <= totalMs - HELD_MS + 2);
});

test('neither is the wait for a slot', async (t) => {
  const url = await startBackend(t, async (_req, res) => {
    await delay(HELD_MS);
    res.end();
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });

  await Promise.all([ask(jano), ask(jano)]);

  const { totalMs, queueMs, overheadMs } = await newest(jano, 2);
  assert.ok(queueMs > 0 && overheadMs <= totalMs - queueMs - HELD_MS + 2);
});

test('of what never went to a backend it is unknown', async (t) => {
  const url = await startBackend(t, (_req, res) => res.end());
  const jano = await startJanoFor(t, url);

  await fetch(`${jano.url}/v1/x`, { method: 'POST', body: '{"model":"nobody"}' });
  await untilRecorded(jano, 1);

  assert.equal(jano.snapshot().ledger.requests.newest()[0]?.overheadMs, null);
});

async function ask(jano: RunningJano): Promise<void> {
  await (await fetch(`${jano.url}/v1/x`, { method: 'POST' })).text();
}

/** Timers may fire a millisecond early, and clocks differ by one: hence the 2 above. */
async function newest(
  jano: RunningJano,
  count: number,
): Promise<{ totalMs: number; queueMs: number; overheadMs: number }> {
  await untilRecorded(jano, count);
  const record: RequestRecord | undefined = jano.snapshot().ledger.requests.newest()[0];
  assert.ok(record !== undefined && record.overheadMs !== null && record.dispatchedAt !== null);
  return {
    totalMs: record.endedAt - record.arrivedAt,
    queueMs: record.dispatchedAt - record.arrivedAt,
    overheadMs: record.overheadMs,
  };
}
