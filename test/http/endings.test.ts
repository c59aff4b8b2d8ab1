import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { assertEnded } from '../support/aftermath.ts';
import { REFUSING_URL, startBackend, startRawBackend } from '../support/fakeBackend.ts';
import { startMachine } from '../support/machine.ts';
import { openRaw, type RawConnection } from '../support/rawHttp.ts';
import { type RunningJano, startJano, startJanoFor } from '../support/startJano.ts';

const CHUNKED =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const KEPT = 'Connection: keep-alive\r\nKeep-Alive: timeout=75\r\n';

/** The ways in which a backend dies. */
const WAYS: Readonly<Record<string, (socket: Socket) => void>> = {
  closes: (socket) => void socket.end(),
  resets: (socket) => void socket.resetAndDestroy(),
};

interface Scene {
  readonly jano: RunningJano;
  readonly caller: RawConnection;
  /** The connection on which the request has reached the backend. */
  readonly backend: Socket;
  /** How many requests have. */
  readonly hits: () => number;
}

/** A request that has reached a backend which has said `answer` so far. */
async function setScene(t: TestContext, answer: string): Promise<Scene> {
  const sockets: Socket[] = [];
  const arrival = Promise.withResolvers<Socket>();
  const url = await startRawBackend(t, (socket) => {
    sockets.push(socket);
    socket.write(answer, () => arrival.resolve(socket));
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });
  const head = 'POST /v1/chat/completions HTTP/1.1\r\nHost: jano\r\n\r\n';
  const caller = await openRaw(t, jano.port, head);
  return { jano, caller, backend: await arrival.promise, hits: () => sockets.length };
}

function drained(socket: Socket): Promise<Socket> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve(socket));
    socket.resume();
  });
}

for (const [way, die] of Object.entries(WAYS)) {
  test(`a backend that ${way} in a stream breaks the caller's connection, nothing added`, async (t) => {
    const { jano, caller, backend, hits } = await setScene(t, `${CHUNKED}5\r\ndata:\r\n`);
    await caller.until((text) => text.includes('data:'));

    die(backend);

    const kept = CHUNKED.replace('Transfer-Encoding', `${KEPT}Transfer-Encoding`);
    assert.equal(await caller.closed(), `${kept}5\r\ndata:\r\n`);
    await assertEnded(jano, ['200 cut']);
    assert.equal(hits(), 1);
    assert.match(
      jano.snapshot().ledger.lastError?.message ?? '',
      /"qwen" was cut: connection reset/,
    );
    assert.equal(jano.snapshot().ledger.errorsLastQuarter.total(Date.now()), 1);
  });

  test(`a backend that ${way} before its Content-Length is reached breaks the caller's`, async (t) => {
    const { jano, caller, backend } = await setScene(
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
      const { jano, caller, backend, hits } = await setScene(t, answer);

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
  const whole = await setScene(t, 'HTTP/1.0 200 OK\r\n\r\nabc');
  const broken = await setScene(t, 'HTTP/1.0 200 OK\r\n\r\nabc');

  await broken.caller.until((text) => text.includes('abc'));
  whole.backend.end();
  broken.backend.resetAndDestroy();

  await whole.caller.until((text) => text.endsWith('abc\r\n0\r\n\r\n'));
  assert.match(await broken.caller.closed(), /\r\n3\r\nabc\r\n$/);
  await assertEnded(whole.jano, ['200 served']);
  await assertEnded(broken.jano, ['200 cut']);
});

test('twenty requests to a port where nothing listens are twenty 502s, and it may come back', async (t) => {
  const url = REFUSING_URL;
  const jano = await startJanoFor(t, url, { models: [{ name: 'qwen', url, pinned: true }] });

  for (let count = 0; count < 20; count++) {
    const response = await fetch(`${jano.url}/v1/x`, { method: 'POST', body: '{}' });
    assert.equal(response.status, 502);
    assert.match(await response.text(), /failed before it answered: connection refused/);
  }
  await startBackend(t, (_req, res) => res.end(), { port: Number(new URL(url).port) });

  await assertEnded(
    jano,
    Array.from({ length: 20 }, () => '502 failed'),
  );
});

test('a backend found dead is loaded again for the next request', async (t) => {
  const machine = await startMachine(t, ['qwen'], (_model, _req, res) => res.end('{}'), {
    resident: ['qwen'],
  });
  const { models, command } = machine;
  const jano = await startJano(t, { models, swap: { command, poll: '10ms' } });
  machine.kill('qwen');

  const first = await fetch(`${jano.url}/x`, { method: 'POST' });
  const second = await fetch(`${jano.url}/x`, { method: 'POST' });

  assert.deepEqual([first.status, second.status], [502, 200]);
  assert.deepEqual(machine.swaps(), ['qwen']);
  await assertEnded(jano, ['502 failed', '200 served']);
});

test('a backend that takes one request per connection, without saying so, serves them all', async (t) => {
  const url = await startRawBackend(t, (socket) => {
    socket.once('data', () => socket.resetAndDestroy());
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });

  const caller = await openRaw(t, jano.port, '');
  for (let count = 1; count <= 4; count++) {
    caller.socket.write('POST /x HTTP/1.1\r\nHost: jano\r\n\r\n');
    await caller.until((text) => text.split('{}').length > count);
  }

  await assertEnded(jano, ['200 served', '200 served', '200 served', '200 served']);
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
