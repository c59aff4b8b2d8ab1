import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askHealth, type Health } from '../../src/swap/health.ts';
import { waitForHealth } from '../../src/swap/readiness.ts';
import type { SwapPhase } from '../../src/swap/swapper.ts';
import { endWithTest, leaveNoChildren } from './processes.ts';
import { backend } from '../support/backend.ts';
import { openWorkshop, orderFor, serve, findFreeUrl } from './workshop.ts';

leaveNoChildren();

const ignorePhase = (): void => {};

test('the phases are told in order, each once', async (t) => {
  const shop = openWorkshop(t, 'exit 0');
  const url = await serve(t, (_, response) => response.end());
  const phases: SwapPhase[] = [];

  await shop.swapper.swap(orderFor(backend('qwen', url)), (phase) => phases.push(phase));

  assert.deepEqual(phases, ['script', 'ready']);
});

test('health is not asked before the script has ended', async (t) => {
  const shop = openWorkshop(t, 'echo yes > ended');
  const url = await serve(t, (_, response) => response.end(shop.read('ended')));
  const load = backend('qwen', url, { health: { path: '/health', contains: 'yes' } });

  const result = await shop.swapper.swap(orderFor(load), ignorePhase);

  assert.equal(result.outcome, 'ok');
});

test('a server that the script starts is waited for', async (t) => {
  const code = `require('http').createServer((_, r) => r.end()).listen(new URL(process.env.JANO_URL).port)`;
  const shop = openWorkshop(t, `'${process.execPath}' -e "${code}" &\necho $! > pid`);
  const load = backend('qwen', await findFreeUrl());

  const result = await shop.swapper.swap(orderFor(load), ignorePhase);

  endWithTest(t, Number(shop.read('pid')));
  assert.equal(result.outcome, 'ok');
});

test('a server that is still loading is asked until it answers 2xx', async (t) => {
  const shop = openWorkshop(t, 'exit 0');
  const statuses = [503, 404, 500, 204, 503];
  const url = await serve(t, (_, response) => response.writeHead(statuses.shift() ?? 500).end());

  const result = await shop.swapper.swap(orderFor(backend('qwen', url)), ignorePhase);

  assert.equal(result.outcome, 'ok');
  assert.deepEqual(statuses, [503]);
});

test('an old server that hangs while it goes down does not hold up the new one', async (t) => {
  const shop = openWorkshop(t, 'exit 0', {}, { probeMs: 300 });
  let questions = 0;
  const url = await serve(t, (_, response) => {
    questions += 1;
    if (questions > 1) response.end();
  });

  const result = await shop.swapper.swap(orderFor(backend('qwen', url)), ignorePhase);

  assert.equal(result.outcome, 'ok');
});

test('a text that is missing at first is waited for', async (t) => {
  const shop = openWorkshop(t, 'exit 0');
  const bodies = ['{"models": []}', '{"models": ["qwen"]}', 'more'];
  const url = await serve(t, (_, response) => response.end(bodies.shift()));
  const load = backend('qwen', url, { health: { path: '/api/ps', contains: 'qwen' } });

  const result = await shop.swapper.swap(orderFor(load), ignorePhase);

  assert.equal(result.outcome, 'ok');
  assert.deepEqual(bodies, ['more']);
});

test('a server that never becomes ready is a timeout that tells its last status', async (t) => {
  const shop = openWorkshop(t, 'exit 0', { timeoutMs: 1000 });
  const url = await serve(t, (_, response) => response.writeHead(503).end('Loading model'));

  const result = await shop.swapper.swap(orderFor(backend('qwen', url)), ignorePhase);

  assert.equal(result.outcome, 'timeout');
  assert.notEqual(result.readyMs, null);
  assert.equal(result.error, `swap of "qwen" timed out after 1000 ms: ${url}/health answered 503`);
});

test('a question that the deadline cuts off does not hide the answer before it', async (t) => {
  const deadline = new AbortController();
  let questions = 0;
  const url = await serve(t, (_, response) => {
    questions += 1;
    if (questions === 1) response.writeHead(503).end();
    else deadline.abort();
  });

  const health = await waitFor(url, deadline.signal);

  assert.deepEqual(health, { isHealthy: false, seen: `${url}/health answered 503` });
});

test('a server that never answers is told from one that was never asked', async (t) => {
  const deadline = new AbortController();
  const url = await serve(t, () => deadline.abort());

  const hanging = await waitFor(url, deadline.signal);
  const unasked = await waitFor(url, deadline.signal);

  assert.equal(hanging?.seen, `${url}/health: no answer`);
  assert.equal(unasked, null);
});

function waitFor(url: string, stop: AbortSignal): Promise<Health | null> {
  return waitForHealth((limit) => askHealth(backend('qwen', url), 20_000, limit), 1, stop);
}
