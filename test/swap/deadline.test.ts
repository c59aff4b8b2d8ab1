import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runScript, type ScriptEnd } from '../../src/swap/script.ts';
import { isAlive, leaveNoChildren } from './processes.ts';
import { backend } from '../support/backend.ts';
import { DEAD_URL, openWorkshop, orderFor, serve, type Workshop } from './workshop.ts';

leaveNoChildren();

const ignorePhase = (): void => {};
const nowhere = backend('qwen', DEAD_URL);

/** Runs the script and lets its time be over as soon as it made the file `ready`. */
async function endOnceReady(shop: Workshop, graceMs = 300): Promise<ScriptEnd> {
  const deadline = new AbortController();
  const call = {
    program: './swap.sh',
    arguments: [],
    directory: shop.folder,
    environment: {},
    graceMs,
    isQuestion: false,
  };
  const end = runScript(call, deadline.signal);
  await shop.appearance('ready');
  deadline.abort();
  return end;
}

test('a script that never exits is ended at the deadline', async (t) => {
  const script = 'echo $$ > pid; echo "waiting for the GPU" >&2; : > ready; sleep 3600';
  const shop = openWorkshop(t, script);

  const end = await endOnceReady(shop);

  assert.deepEqual(end, { kind: 'interrupted', stdout: '', stderr: 'waiting for the GPU\n' });
  assert.equal(isAlive(Number(shop.read('pid'))), false);
});

test('a script that ignores TERM is killed', async (t) => {
  const script = 'trap "" TERM; echo $$ > pid; : > ready; while :; do sleep 1; done';
  const shop = openWorkshop(t, script);

  const end = await endOnceReady(shop);

  assert.equal(end.kind, 'interrupted');
  assert.equal(isAlive(Number(shop.read('pid'))), false);
});

test('a script that cleans up on TERM is given the time to', async (t) => {
  const script = 'trap "echo done > cleaned; exit 0" TERM; : > ready; while :; do sleep 0.01; done';
  const shop = openWorkshop(t, script);

  const end = await endOnceReady(shop, 60_000);

  assert.equal(end.kind, 'interrupted');
  assert.equal(shop.read('cleaned'), 'done');
});

test('what a script has started dies with it at the deadline', async (t) => {
  const script = 'sh -c "echo \\$\\$ > pid; : > ready; exec sleep 3600" & wait';
  const shop = openWorkshop(t, script);

  await endOnceReady(shop, 60_000);

  assert.equal(isAlive(Number(shop.read('pid'))), false);
});

test('what a script has started is killed when it alone ignores TERM', async (t) => {
  const stubborn = "trap '' TERM; echo \\$\\$ > pid; : > ready; while :; do sleep 1; done";
  const shop = openWorkshop(t, `sh -c "${stubborn}" & wait`);

  await endOnceReady(shop);

  assert.equal(isAlive(Number(shop.read('pid'))), false);
});

test('a swap whose script never exits is a timeout that says what scripts should do', async (t) => {
  const { swapper } = openWorkshop(t, 'sleep 3600', { timeoutMs: 300 });

  const { outcome, readyMs, error } = await swapper.swap(orderFor(nowhere), ignorePhase);

  assert.deepEqual([outcome, readyMs], ['timeout', null]);
  assert.equal(
    error,
    'swap of "qwen" timed out after 300 ms: ./swap.sh qwen was still running and was ended; it should start the server in the background and exit',
  );
});

test('an unload that hangs is ended at the deadline', async (t) => {
  const { swapper } = openWorkshop(t, 'sleep 3600', { timeoutMs: 300 });

  const problem = await swapper.unload(nowhere);

  assert.match(problem ?? '', /^unload of "qwen" timed out after 300 ms: /);
});

test('a time limit longer than a timer can be does not fire at once', async (t) => {
  const { swapper } = openWorkshop(t, 'exit 0', { timeoutMs: 2 ** 40 });
  const url = await serve(t, (_, response) => response.end());

  const result = await swapper.swap(orderFor(backend('qwen', url)), ignorePhase);

  assert.equal(result.outcome, 'ok');
});

test('closing ends a running script, waits for it and settles the swap', async (t) => {
  const script = 'trap "" TERM; echo $$ > pid; : > started; while :; do sleep 1; done';
  const shop = openWorkshop(t, script);
  const swap = shop.swapper.swap(orderFor(nowhere), ignorePhase);
  await shop.appearance('started');

  await shop.swapper.close();

  assert.equal(isAlive(Number(shop.read('pid'))), false);
  const { outcome, error } = await swap;
  assert.deepEqual({ outcome, error }, { outcome: 'script_failed', error: 'jano is stopping' });
});

test('closing while health is awaited settles the swap', async (t) => {
  const { swapper } = openWorkshop(t, 'exit 0');
  const ready = Promise.withResolvers<void>();
  const swap = swapper.swap(orderFor(backend('qwen', DEAD_URL)), (phase) => {
    if (phase === 'ready') ready.resolve();
  });
  await ready.promise;

  await swapper.close();

  const { outcome, error } = await swap;
  assert.deepEqual({ outcome, error }, { outcome: 'timeout', error: 'jano is stopping' });
});

test('closing cuts off a question that a backend does not answer', async (t) => {
  const { swapper } = openWorkshop(t, 'exit 0');
  const asked = Promise.withResolvers<void>();
  const url = await serve(t, () => asked.resolve());
  const target = backend('qwen', url);
  const answers = Promise.all([swapper.isHealthy(target), swapper.askParallel(target)]);
  await asked.promise;

  await swapper.close();

  assert.deepEqual(await answers, [false, null]);
});

test('nothing is started once closed', async (t) => {
  const shop = openWorkshop(t, ': > started');
  await shop.swapper.close();

  const { error } = await shop.swapper.swap(orderFor(nowhere), ignorePhase);
  const problem = await shop.swapper.unload(nowhere);
  const resident = await shop.swapper.findResident([nowhere]);

  assert.deepEqual([error, problem], ['jano is stopping', 'jano is stopping']);
  assert.equal(resident.size, 0);
  assert.throws(() => shop.read('started'), { code: 'ENOENT' });
});
