import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { assertEnded } from '../support/aftermath.ts';
import { startRawBackend } from '../support/fakeBackend.ts';
import { openRaw, type RawConnection } from '../support/rawHttp.ts';
import { type RunningJano, startJanoFor } from '../support/startJano.ts';

const KEPT = 'Connection: keep-alive\r\nKeep-Alive: timeout=75';
const LENGTH = 'Content-Length: 2';

interface Asked {
  readonly jano: RunningJano;
  readonly caller: RawConnection;
}

/** A caller that has asked a backend with one slot, which sends these bytes and closes. */
async function ask(t: TestContext, answer: string, method = 'POST'): Promise<Asked> {
  const url = await startRawBackend(t, (socket) => {
    socket.end(Buffer.from(answer, 'latin1'));
  });
  const jano = await startJanoFor(t, url, {}, { parallel: 1 });
  const head = `${method} /x HTTP/1.1\r\nHost: jano\r\n\r\n`;
  return { jano, caller: await openRaw(t, jano.port, head) };
}

/** The caller's connection can be used again: a further request on it is answered. */
async function assertUsable(caller: RawConnection): Promise<void> {
  const before = caller.received().length;
  caller.socket.write('GET /health HTTP/1.1\r\nHost: jano\r\n\r\n');
  await caller.until((text) => text.slice(before).includes('"ok": true'));
}

const unusable: Readonly<Record<string, string>> = {
  'a control byte in its reason': `HTTP/1.1 200 O\x01K\r\n${LENGTH}\r\n\r\n{}`,
  'status 099': `HTTP/1.1 099 Odd\r\n${LENGTH}\r\n\r\n{}`,
  'two different lengths': `HTTP/1.1 200 OK\r\n${LENGTH}\r\nContent-Length: 3\r\n\r\n{}`,
  'both a length and chunks': `HTTP/1.1 200 OK\r\n${LENGTH}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  'a length below zero': 'HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}',
  'a length beyond counting': `HTTP/1.1 200 OK\r\nContent-Length: ${'9'.repeat(30)}\r\n\r\n{}`,
  'a folded line': `HTTP/1.1 200 OK\r\nX-A: 1\r\n 2\r\n${LENGTH}\r\n\r\n{}`,
  'a zero byte in a header': `HTTP/1.1 200 OK\r\nX-A: 1\x002\r\n${LENGTH}\r\n\r\n{}`,
  'a DEL byte in a header': `HTTP/1.1 200 OK\r\nX-A: 1\x7f2\r\n${LENGTH}\r\n\r\n{}`,
  'a blank in a header name': `HTTP/1.1 200 OK\r\nX A: 1\r\n${LENGTH}\r\n\r\n{}`,
  'bare line feeds': `HTTP/1.1 200 OK\n${LENGTH}\n\n{}`,
  'a head of 20 kB': `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(20_000)}\r\n${LENGTH}\r\n\r\n{}`,
  'another protocol': 'SSH-2.0-OpenSSH_9\r\n',
  'a body without a head': '{"error":"loading"}',
  'HTTP/2': `HTTP/2 200 OK\r\n${LENGTH}\r\n\r\n{}`,
  'a switch of protocols':
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello',
  'a switch to nothing': 'HTTP/1.1 101 Switching Protocols\r\n\r\n',
};

for (const [what, answer] of Object.entries(unusable)) {
  test(`an answer with ${what} is a 502, and Jano lives on`, async (t) => {
    const { jano, caller } = await ask(t, answer);

    const received = await caller.until((text) => text.endsWith('}'));

    assert.match(received, /^HTTP\/1\.1 502 Bad Gateway\r\n/);
    assert.match(received, /"type":"server_error","param":null,"code":"backend_failed"/);
    await assertUsable(caller);
    await assertEnded(jano, ['502 failed']);
  });
}

const passed: Readonly<Record<string, readonly [answer: string, received: string]>> = {
  'an unknown status and no reason': [
    `HTTP/1.1 299 \r\n${LENGTH}\r\n\r\n{}`,
    `HTTP/1.1 299 \r\n${LENGTH}\r\n${KEPT}\r\n\r\n{}`,
  ],
  'hints before it': [
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n${LENGTH}\r\n\r\n{}`,
    `HTTP/1.1 200 OK\r\n${LENGTH}\r\n${KEPT}\r\n\r\n{}`,
  ],
  'a second answer behind it': [
    `HTTP/1.1 200 OK\r\n${LENGTH}\r\n\r\n{}HTTP/1.1 200 OK\r\n${LENGTH}\r\n\r\n[]`,
    `HTTP/1.1 200 OK\r\n${LENGTH}\r\n${KEPT}\r\n\r\n{}`,
  ],
  'more bytes than its length': [
    `HTTP/1.1 200 OK\r\nConnection: close\r\n${LENGTH}\r\n\r\n{}, and more`,
    `HTTP/1.1 200 OK\r\n${LENGTH}\r\n${KEPT}\r\n\r\n{}`,
  ],
  'bytes behind its last chunk': [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\nmore',
    `HTTP/1.1 200 OK\r\n${KEPT}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ],
  'a 204 that has a length': [
    `HTTP/1.1 204 None\r\n${LENGTH}\r\n\r\n`,
    `HTTP/1.1 204 None\r\n${LENGTH}\r\n${KEPT}\r\n\r\n`,
  ],
  'a 204 that is chunked': [
    'HTTP/1.1 204 None\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    `HTTP/1.1 204 None\r\n${KEPT}\r\n\r\n`,
  ],
  'a 304 that has a length': [
    `HTTP/1.1 304 Same\r\n${LENGTH}\r\nETag: "x"\r\n\r\n`,
    `HTTP/1.1 304 Same\r\n${LENGTH}\r\nETag: "x"\r\n${KEPT}\r\n\r\n`,
  ],
  'a 205 that has a length': [
    'HTTP/1.1 205 Reset\r\nContent-Length: 0\r\n\r\n',
    `HTTP/1.1 205 Reset\r\nContent-Length: 0\r\n${KEPT}\r\n\r\n`,
  ],
};

for (const [what, [answer, expected]] of Object.entries(passed)) {
  test(`an answer with ${what} is passed on as far as it goes`, async (t) => {
    const { jano, caller } = await ask(t, answer);

    assert.equal(await caller.until((text) => text.length >= expected.length), expected);
    await assertUsable(caller);
    await assertEnded(jano, [`${expected.slice(9, 12)} served`]);
  });
}

test('the answer to a HEAD has its length and no body, even where the backend sends one', async (t) => {
  for (const body of ['', '{}', '{"too":"long"}']) {
    const { jano, caller } = await ask(t, `HTTP/1.1 200 OK\r\n${LENGTH}\r\n\r\n${body}`, 'HEAD');

    const received = await caller.until((text) => text.includes('\r\n\r\n'));

    assert.equal(received, `HTTP/1.1 200 OK\r\n${LENGTH}\r\n${KEPT}\r\n\r\n`);
    await assertUsable(caller);
    await assertEnded(jano, ['200 served']);
  }
});

test('an answer whose chunks are broken is broken off, and Jano lives on', async (t) => {
  const { jano, caller } = await ask(
    t,
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n',
  );

  assert.doesNotMatch(await caller.closed(), /\r\n0\r\n\r\n$/);
  await assertEnded(jano, ['200 cut']);
});

test('a trailer that cannot be passed on breaks the answer off, and Jano lives on', async (t) => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n';
  const { jano, caller } = await ask(t, `${chunked}X A: 1\r\n\r\n`);

  assert.doesNotMatch(await caller.closed(), /\r\n0\r\n\r\n$/);
  await assertEnded(jano, ['200 cut']);
});
