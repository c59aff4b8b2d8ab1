import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { assertEnded, endingsOf, untilRecorded } from '../support/aftermath.ts';
import { certificate } from '../support/certificate.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { createFolder } from '../support/folder.ts';
import { listen } from '../support/listening.ts';
import { startProgram } from '../support/program.ts';
import { openRaw } from '../support/rawHttp.ts';
import { startJano, startJanoFor } from '../support/startJano.ts';

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === '::1');

/** A model server that speaks TLS; its answer names what it was asked. Returns its port. */
async function startSecureBackend(t: TestContext): Promise<number> {
  const server = createServer(certificate, (req, res) => {
    res.end(`${req.method} ${req.url} for ${req.headers.host}`);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return listen(server);
}

test('the path of a backend’s URL comes before the caller’s', async (t) => {
  const asked: (string | undefined)[] = [];
  const url = await startBackend(t, (req, res) => {
    asked.push(req.url);
    res.end();
  });
  const jano = await startJanoFor(t, `${url}/some/base/`);

  const paths = ['/v1/x?a', '/upstream/qwen', '//x', '/upstream/qwen/?b'];
  for (const path of paths) await fetch(jano.url + path);
  const caller = await openRaw(t, jano.port, 'OPTIONS * HTTP/1.1\r\nHost: jano\r\n\r\n');
  await caller.until((text) => text.includes('\r\n\r\n'));

  assert.deepEqual(asked, [
    '/some/base/health',
    '/some/base/v1/x?a',
    '/some/base/',
    '/some/base//x',
    '/some/base/?b',
    '*',
  ]);
});

test('a backend may have an IPv6 address', { skip: !hasIpv6 }, async (t) => {
  const url = await startBackend(t, (req, res) => res.end(req.headers.host), { host: '::1' });
  const jano = await startJanoFor(t, url);

  const response = await fetch(`${jano.url}/v1/x`, { method: 'POST' });

  assert.equal(await response.text(), new URL(url).host);
  await assertEnded(jano, ['200 served']);
});

test('a backend whose certificate nobody vouches for is a 502 that says so', async (t) => {
  const url = `https://127.0.0.1:${await startSecureBackend(t)}`;
  const jano = await startJano(t, { models: [{ name: 'qwen', url, pinned: true }] });

  const response = await fetch(`${jano.url}/v1/x`, { method: 'POST', body: '{}' });

  assert.equal(response.status, 502);
  assert.match(await response.text(), /self-signed certificate/);
  await untilRecorded(jano, 1);
  assert.deepEqual(endingsOf(jano), ['502 failed']);
});

test('an https backend that refuses, or whose name is unknown, is a 502', async (t) => {
  const models = ['https://127.0.0.1:9', 'http://nowhere.invalid:80'].map((url, index) => {
    return { name: `m${index}`, url, pinned: true };
  });
  const jano = await startJano(t, { models });

  for (const { name } of models) {
    const response = await fetch(`${jano.url}/upstream/${name}/x`, { method: 'POST' });
    assert.equal(response.status, 502);
  }

  await untilRecorded(jano, 2);
  assert.deepEqual(endingsOf(jano), ['502 failed', '502 failed']);
});

test('an https backend with a certificate that is vouched for is forwarded to', async (t) => {
  const folder = createFolder('program');
  const host = `127.0.0.1:${await startSecureBackend(t)}`;
  const models = [{ name: 'qwen', url: `https://${host}`, pinned: true }];
  await writeFile(join(folder, 'jano.yaml'), JSON.stringify({ models }));
  await writeFile(join(folder, 'ca.pem'), certificate.cert);

  const environment = { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
  const jano = startProgram(t, folder, [], environment);
  const [url] = await jano.until(/http:\/\/127\.0\.0\.1:\d+/);
  const response = await fetch(`${url}/v1/x?a`, { method: 'POST', body: '{}' });

  assert.equal(await response.text(), `POST /v1/x?a for ${host}`);
});
