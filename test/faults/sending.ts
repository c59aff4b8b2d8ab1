import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { assertEnded } from '../support/aftermath.ts';
import { startRawBackend } from '../support/fakeBackend.ts';
import { openRaw } from '../support/rawHttp.ts';
import { type RawConfig, type RunningJano, startJanoFor } from '../support/startJano.ts';

/** A request that has gone through to its backend, and its answer back. */
export interface Sent {
  readonly jano: RunningJano;
  /** The head that the backend got, line by line, as latin1; `backend` stands for its address. */
  readonly lines: readonly string[];
  readonly body: string;
  /** All that the caller got. */
  readonly received: string;
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';

/**
 * Sends these bytes to Jano in front of a backend with one slot, which answers with `answer`. That ends in `{}`.
 * Fails the test unless one request has reached the backend and is recorded once, as served, and nothing is left of it.
 */
export async function send(
  t: TestContext,
  bytes: string,
  { answer = OK, model = {} }: { answer?: string; model?: RawConfig } = {},
): Promise<Sent> {
  const arrived: string[] = [];
  const url = await startRawBackend(t, (socket, first) => {
    arrived.push(first.toString('latin1'));
    socket.end(answer);
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1, ...model });
  const caller = await openRaw(t, jano.port, bytes);
  const received = await caller.until((text) => text.endsWith('{}'));
  await assertEnded(jano, ['200 served']);
  assert.equal(arrived.length, 1);
  const [head = '', ...rest] = (arrived[0] ?? '').split('\r\n\r\n');
  const lines = head.replace(new URL(url).host, 'backend').split('\r\n');
  return { jano, lines, body: rest.join('\r\n\r\n'), received };
}
