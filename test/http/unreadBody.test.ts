import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { discardUnread } from '../../src/http/body/unreadBody.ts';
import { listen } from '../support/listening.ts';
import { openRaw } from '../support/rawHttp.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';

/** The port of a server that answers at once, reads ten bytes of what is left, and lingers for as long. */
async function startServer(t: TestContext, lingerMs: number): Promise<number> {
  // Else that would end idle connections, too.
  const server = createServer({ keepAliveTimeout: 0 }, (req, res) => {
    discardUnread(req, res, { mostBytes: 10, lingerMs });
    res.end('no');
  });
  t.after(() => {
    server.close().closeAllConnections();
  });
  return listen(server);
}

test('a caller that sends little more may go on on its connection', async (t) => {
  const caller = await openRaw(t, await startServer(t, 60_000), HEAD);
  await caller.until((text) => text.includes('no'));

  caller.socket.write('a\r\n0123456789\r\n0\r\n\r\n' + HEAD);

  await caller.until((text) => text.split('HTTP/1.1 200 OK').length === 3);
});

test('a caller that sends much more gets the answer, and then the end of its connection', async (t) => {
  const caller = await openRaw(t, await startServer(t, 60_000), HEAD);
  await caller.until((text) => text.includes('no'));
  const ended = once(caller.socket, 'end');

  caller.socket.write('b\r\n01234567890\r\n');

  await ended;
  assert.equal(caller.socket.errored, null);
});

test('a caller that never ends its connection has it ended', async (t) => {
  const port = await startServer(t, 1);
  const caller = await openRaw(t, port, HEAD);
  caller.socket.allowHalfOpen = true;
  caller.socket.write('b\r\n01234567890\r\n');
  await once(caller.socket, 'end');

  // What is sent to a socket that is gone is answered by a reset.
  while (!caller.socket.destroyed) {
    caller.socket.write('x');
    await setImmediate();
  }

  assert.match(caller.received(), /no/);
});
