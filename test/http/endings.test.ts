import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { assertEnded } from '../support/aftermath.ts';
import { beginAnswer } from '../support/begunAnswer.ts';
import { startBackend, startRawBackend } from '../support/fakeBackend.ts';
import { startMachine } from '../support/machine.ts';
import { startJano, startJanoFor } from '../support/startJano.ts';

const KEPT = 'Connection: keep-alive\r\nKeep-Alive: timeout=75\r\n';

/** The ways in which a backend dies. */
const WAYS: Readonly<Record<string, (socket: Socket) => void>> = {
  closes: (socket) => void socket.end(),
  resets: (socket) => void socket.resetAndDestroy(),
};

function drained(socket: Socket): Promise<Socket> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve(socket));
    socket.resume();
  });
}

for (const [way, die] of Object.entries(WAYS)) {
  test(`a backend that ${way} before its Content-Length is reached breaks the caller's`, async (t) => {
    const { jano, caller, backend } = await beginAnswer(
      t,
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc',
    );
    await caller.until((text) => text.endsWith('abc'));

    die(backend);

    const head = `HTTP/1.1 200 OK\r\nContent-Length: 9\r\n${KEPT}\r\n`;
    assert.equal(await caller.closed(), `${head}abc`);
    await assertEnded(jano, ['200 cut']);
  });

  test(`a backend that ${way} in its answer, and is gone, is loaded again for the next`, async (t) => {
    const begun = Promise.withResolvers<Socket>();
    const machine = await startMachine(
      t,
      ['qwen'],
      (_model, req, res) => {
        if (machine.swaps().length > 0) return res.end('{}');
        res.write('begun', () => begun.resolve(req.socket));
      },
      { resident: ['qwen'] },
    );
    const { models, command } = machine;
    const jano = await startJano(t, { models, swap: { command, poll: '10ms' } });

    const broken = await fetch(`${jano.url}/x`, { method: 'POST' });
    machine.setResidents();
    die(await begun.promise);
    await assert.rejects(broken.text());
    const next = await fetch(`${jano.url}/x`, { method: 'POST' });

    assert.equal(next.status, 200);
    await assertEnded(jano, ['200 cut', '200 served']);
  });

  for (const [when, answer] of [
    ['before it answers', ''],
    ['in the head of its answer', 'HTTP/1.1 200 OK\r\nContent-'],
  ] as const) {
    test(`a backend that ${way} ${when} gives a 502, on a connection that lives`, async (t) => {
      const { jano, caller, backend, hits } = await beginAnswer(t, answer);

      die(backend);
      const received = await caller.until((text) => text.endsWith('}'));
      caller.socket.write('POST /health HTTP/1.1\r\nHost: jano\r\n\r\n');
      await caller.until((text) => text.endsWith('ok'));

      assert.match(received, /^HTTP\/1\.1 502 Bad Gateway\r\n[^]*"code":"backend_failed"/);
      assert.match(
        received,
        /the backend of \\"qwen\\" failed before it answered: connection reset/,
      );
      await assertEnded(jano, ['502 failed', '200 served']);
      assert.equal(hits(), 1);
    });
  }
}

test('an answer that ends with its connection is whole when that closes, cut when it is reset', async (t) => {
  const whole = await beginAnswer(t, 'HTTP/1.0 200 OK\r\n\r\nabc');
  const broken = await beginAnswer(t, 'HTTP/1.0 200 OK\r\n\r\nabc');

  await broken.caller.until((text) => text.includes('abc'));
  whole.backend.end();
  broken.backend.resetAndDestroy();

  await whole.caller.until((text) => text.endsWith('abc\r\n0\r\n\r\n'));
  assert.match(await broken.caller.closed(), /\r\n3\r\nabc\r\n$/);
  await assertEnded(whole.jano, ['200 served']);
  await assertEnded(broken.jano, ['200 cut']);
});

test('a backend that answers before it has read the body is believed, and its connection let go', async (t) => {
  const { promise: backend, resolve } = Promise.withResolvers<Socket>();
  const url = await startRawBackend(t, (socket) => {
    socket.pause().write('HTTP/1.1 413 Too Big\r\nContent-Length: 7\r\n\r\ntoo big');
    resolve(socket);
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });

  const response = await fetch(`${jano.url}/x`, { method: 'POST', body: 'x'.repeat(20_000_000) });

  assert.equal(response.status, 413);
  assert.equal(await response.text(), 'too big');
  const { bytesRead } = await drained(await backend);
  assert.ok(bytesRead < 20_000_000);
  await assertEnded(jano, ['413 refused']);
});

test('what the backend answers counts as its own: 4xx refused, 5xx failed', async (t) => {
  const url = await startBackend(t, (req, res) => {
    res.statusCode = Number(req.url?.slice(1));
    res.end('its own words');
  });
  const jano = await startJanoFor(t, url);

  for (const status of [200, 302, 400, 404, 429, 500, 503]) {
    const response = await fetch(`${jano.url}/${status}`, { method: 'POST', redirect: 'manual' });
    assert.equal(response.status, status);
    assert.equal(await response.text(), 'its own words');
  }

  await assertEnded(jano, [
    '200 served',
    '302 served',
    '400 refused',
    '404 refused',
    '429 refused',
    '500 failed',
    '503 failed',
  ]);
});
