import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configWith, faultsOf, modelFaults, modelWith } from './plainConfig.ts';

for (const [written, ms] of [
  ['250ms', 250],
  ['3s', 3_000],
  ['3m', 180_000],
  ['1h', 3_600_000],
  ['2d', 172_800_000],
  ['1.5s', 1_500],
  ['1m30s', 90_000],
  ['0', 0],
  ['0s', 0],
  [0, 0],
] as const) {
  test(`a length of time of ${JSON.stringify(written)} is ${ms} ms`, () => {
    assert.equal(configWith({ limits: { request: written } }).limits.requestMs, ms);
  });
}

for (const [written, message] of [
  [180, '"180": a length of time needs a unit, such as 180s'],
  ['180', '"180": a length of time needs a unit, such as 180s'],
  [1.5, '"1.5": a length of time needs a unit, such as 1.5s'],
  ['fast', '"fast": expected a length of time, such as 250ms, 3s or 1m30s'],
  ['-3s', '"-3s": expected a length of time, such as 250ms, 3s or 1m30s'],
  ['3 s', '"3 s": expected a length of time, such as 250ms, 3s or 1m30s'],
  ['3S', '"3S": expected a length of time, such as 250ms, 3s or 1m30s'],
  [true, '"true": expected a length of time, such as 250ms, 3s or 1m30s'],
  [[3], 'expected a length of time, such as 250ms, 3s or 1m30s, not a list'],
  [null, 'is empty: give it a value or remove it'],
  ['30d', 'must be at most 24d'],
] as const) {
  test(`${JSON.stringify(written)} is no length of time`, () => {
    assert.deepEqual(faultsOf({ limits: { request: written } }), [`limits.request: ${message}`]);
  });
}

for (const [written, bytes] of [
  ['64KiB', 65_536],
  ['256MiB', 268_435_456],
  ['1GiB', 1_073_741_824],
  ['1.5GB', 1_500_000_000],
  ['5MB', 5_000_000],
  ['2kB', 2_000],
  ['12B', 12],
  [0, 0],
] as const) {
  test(`a size of ${JSON.stringify(written)} is ${bytes} bytes`, () => {
    assert.equal(configWith({ limits: { body: written } }).limits.bodyBytes, bytes);
  });
}

for (const [written, message] of [
  [1000, '"1000": a size needs a unit, such as 1000MiB'],
  ['5 MB', '"5 MB": expected a size, such as 64KiB, 256MiB or 1GiB'],
  ['5mib', '"5mib": expected a size, such as 64KiB, 256MiB or 1GiB'],
  [{}, 'expected a size, such as 64KiB, 256MiB or 1GiB, not keys with values'],
] as const) {
  test(`${JSON.stringify(written)} is no size`, () => {
    assert.deepEqual(faultsOf({ limits: { body: written } }), [`limits.body: ${message}`]);
  });
}

for (const keepAlive of ['off', 0, '0s']) {
  test(`queue.keepAlive: ${keepAlive} sends nothing`, () => {
    assert.equal(configWith({ queue: { keepAlive } }).queue.keepAliveMs, null);
  });
}

for (const [written, host, port] of [
  ['0.0.0.0:80', '0.0.0.0', 80],
  ['localhost:0', 'localhost', 0],
  ['[::1]:8082', '::1', 8082],
  [':9000', '127.0.0.1', 9000],
  ['9000', '127.0.0.1', 9000],
  [9000, '127.0.0.1', 9000],
] as const) {
  test(`listen: ${written} is port ${port} of ${host}`, () => {
    assert.deepEqual(configWith({ listen: written }).listen, { host, port });
  });
}

for (const written of [
  '127.0.0.1',
  'host:70000',
  '::1:8082',
  'http://h:80',
  'h:80/',
  '*:80',
  ':',
]) {
  test(`listen: ${written} is a problem`, () => {
    const message = `"${written}": expected host:port, such as 127.0.0.1:8082, with a port up to 65535`;

    assert.deepEqual(faultsOf({ listen: written }), [`listen: ${message}`]);
  });
}

for (const [written, url] of [
  ['http://127.0.0.1:8081/', 'http://127.0.0.1:8081'],
  ['https://Host/api//', 'https://host/api'],
] as const) {
  test(`the URL ${written} is kept as ${url}`, () => {
    assert.equal(configWith({ models: [modelWith({ url: written })] }).models[0]?.url, url);
  });
}

for (const [url, message] of [
  ['127.0.0.1:8081', 'must be an http:// or https:// URL, such as http://127.0.0.1:8081'],
  ['ftp://h', 'must be an http:// or https:// URL, such as http://127.0.0.1:8081'],
  ['http://h/?a=1', 'must have no query and no #'],
  ['http://h/#a', 'must have no query and no #'],
  ['http://u:p@h', 'must hold no user name or password: use `headers` for an Authorization'],
  ['http://u@h', 'must hold no user name or password: use `headers` for an Authorization'],
  ['http://:p@h', 'must hold no user name or password: use `headers` for an Authorization'],
  ['', 'must not be empty'],
] as const) {
  test(`${JSON.stringify(url)} is no URL of a backend`, () => {
    assert.deepEqual(modelFaults({ url }), [`models[0].url: ${message}`]);
  });
}

test('health is a path, or a path and what the answer must hold', () => {
  const [plain, full] = configWith({
    models: [
      modelWith({ health: '/ready' }),
      modelWith({ name: 'b', health: { path: '/api/ps', contains: 'gemma' } }),
    ],
  }).models;

  assert.deepEqual(plain?.health, { path: '/ready', contains: null });
  assert.deepEqual(full?.health, { path: '/api/ps', contains: 'gemma' });
});

for (const [more, complaint] of [
  [{ health: 'ready' }, 'health: "ready": expected a path that begins with /'],
  [{ health: { path: 'x' } }, 'health.path: "x": expected a path that begins with /'],
  [
    { health: { path: '/x', contain: 'y' } },
    'health.contain: unknown key; did you mean "contains"?',
  ],
  [{ health: { contains: 'y' } }, 'health.path: is required'],
  [{ health: 3 }, 'health: "3": expected a path such as /health, or keys `path` and `contains`'],
  [{ parallel: 0 }, 'parallel: must be at least 1'],
  [{ parallel: 1.5 }, 'parallel: "1.5": expected a whole number from 1, or auto'],
  [{ memory: -1 }, 'memory: must be at least 0'],
  [{ headers: { 'a b': 'c' } }, 'headers["a b"]: is not a valid header name'],
  [{ headers: { a: 'b\nc' } }, 'headers.a: holds a character that no header can carry'],
  [{ name: ' a' }, 'name: must not begin or end with a blank or hold control characters'],
  [{ name: '' }, 'name: must not be empty'],
  [{ aliases: [''] }, 'aliases[0]: must not be empty'],
  [{ name: 7 }, 'name: expected text, not a number: put it in quotes'],
  [{ aliases: 'a' }, 'aliases: expected a list, not text'],
  [{ pinned: 'yes' }, 'pinned: expected true or false, not text'],
] as const) {
  test(`a model with ${JSON.stringify(more)} is a problem`, () => {
    assert.deepEqual(modelFaults(more), [`models[0].${complaint}`]);
  });
}

for (const [more, complaint] of [
  [{ policy: { swapShare: 0 } }, 'policy.swapShare: must be more than 0'],
  [{ policy: { swapShare: 1 } }, 'policy.swapShare: must be less than 1'],
  [{ policy: { linger: -0.1 } }, 'policy.linger: must be at least 0'],
  [{ policy: { maxTurn: '0s', minTurn: '0s' } }, 'policy.maxTurn: must be longer than 0'],
  [{ swap: { command: 'true', poll: 0 } }, 'swap.poll: must be longer than 0'],
  [{ swap: { command: 'true', timeout: '0s' } }, 'swap.timeout: must be longer than 0'],
  [{ memory: { budget: 0 } }, 'memory.budget: must be more than 0'],
  [{ usage: { records: 0 } }, 'usage.records: must be at least 1'],
  [{ usage: { path: '~/usage.db' } }, 'usage.path: "~" is not expanded here: write ${env.HOME}'],
  [{ callers: { header: 'a b' } }, 'callers.header: is not a valid header name'],
  [{ traces: { url: 'grafana' } }, 'traces.url: must begin with http:// or https://'],
  [{ auth: { keys: { ann: '' } } }, 'auth.keys.ann: must not be empty'],
] as const) {
  test(`${JSON.stringify(more)} is a problem`, () => {
    assert.deepEqual(
      faultsOf({ ...more }).filter((fault) => !fault.includes('could never load')),
      [complaint],
    );
  });
}
