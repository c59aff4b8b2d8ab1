import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEnded } from '../support/aftermath.ts';
import { openRaw } from '../support/rawHttp.ts';
import type { RawConfig } from '../support/startJano.ts';
import { gotBy, startTwoModels } from './twoModels.ts';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

function headOf(length: number, more = ''): string {
  return `POST /v1/x HTTP/1.1\r\nHost: jano\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n${more}\r\n`;
}

test('who asks before it sends its body is told to go on, and is answered', async (t) => {
  const { jano } = await startTwoModels(t);
  const body = '{"model":"gemma"}';

  const caller = await openRaw(t, jano.port, headOf(body.length));
  await caller.until((text) => text === CONTINUE);
  caller.socket.write(body);
  const received = await caller.until((text) => text.includes(gotBy('gemma', body)));

  assert.match(received.slice(CONTINUE.length), /^HTTP\/1\.1 200 OK\r\n/);
  await assertEnded(jano, ['200 served']);
});

test('who does not wait to be told to go on is answered all the same', async (t) => {
  const { jano } = await startTwoModels(t);

  const caller = await openRaw(t, jano.port, `${headOf(2)}{}`);

  await caller.until((text) => text.includes(gotBy('qwen', '{}')));
});

const FINAL: readonly [what: string, status: string, raw: RawConfig, head: string][] = [
  ['has too large a body', '413 Payload Too Large', { limits: { body: '1KiB' } }, headOf(1025)],
  ['asks for what is Jano’s own', '200 OK', {}, headOf(2).replace('POST /v1/x', 'GET /v1/models')],
  ['has no key', '401 Unauthorized', { auth: { keys: { me: 'secret' } } }, headOf(2)],
];

for (const [what, status, raw, head] of FINAL) {
  test(`a caller that asks first and ${what} is answered before it sends anything`, async (t) => {
    const { jano } = await startTwoModels(t, raw);

    const caller = await openRaw(t, jano.port, head);
    const received = await caller.until((text) => /\}\s*$/.test(text));

    assert.match(received, new RegExp(`^HTTP/1\\.1 ${status}\r\n`));
    // Nobody can know whether the body still comes, so nothing can follow on this connection.
    await caller.closed();
  });
}

test('an expectation that nobody knows is a 417, as HTTP has it', async (t) => {
  const { jano } = await startTwoModels(t);

  const caller = await openRaw(t, jano.port, headOf(2).replace('100-continue', 'magic') + '{}');

  await caller.until((text) => text.startsWith('HTTP/1.1 417 '));
});

test('a caller of HTTP/1.0 cannot ask first, and is answered', async (t) => {
  const { jano } = await startTwoModels(t);

  const caller = await openRaw(t, jano.port, headOf(2).replace('HTTP/1.1', 'HTTP/1.0') + '{}');

  const received = await caller.closed();
  assert.match(received, /^HTTP\/1\.1 200 OK\r\n/);
  assert.ok(received.endsWith(gotBy('qwen', '{}')));
});
