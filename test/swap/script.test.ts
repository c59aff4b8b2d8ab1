import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { leaveNoChildren } from './processes.ts';
import { backend } from '../support/backend.ts';
import { openWorkshop, orderFor, serve } from './workshop.ts';

leaveNoChildren();

const ignorePhase = (): void => {};
const nowhere = backend('qwen', 'http://127.0.0.1:9');

test('the script gets its leading arguments, then the model, and runs in its folder', async (t) => {
  const command = ['./swap.sh', '--gpu', 'a b'] as const;
  const shop = openWorkshop(t, 'printf "%s," "$@" > arguments; exit 1', { command });

  await shop.swapper.swap(orderFor(backend('Qwen 3:27b', 'http://x')), ignorePhase);

  assert.equal(shop.read('arguments'), '--gpu,a b,Qwen 3:27b,');
});

test('a swap ends well when the script exits 0 and health holds', async (t) => {
  const shop = openWorkshop(t, 'exit 0');
  const url = await serve(t, (_, response) => response.end());

  const result = await shop.swapper.swap(orderFor(backend('qwen', url)), ignorePhase);

  assert.equal(result.outcome, 'ok');
  assert.equal(result.error, null);
  assert.ok(result.scriptMs > 0);
  assert.ok(result.readyMs !== null && result.readyMs > 0);
});

test('the script is told the model, its URL, what to unload and why', async (t) => {
  const script = 'echo "$JANO_MODEL|$JANO_FROM|$JANO_URL|$JANO_CAUSE" > told; exit 1';
  const shop = openWorkshop(t, script);
  const unload = [backend('gemma', 'http://g'), backend('phi', 'http://p')];

  await shop.swapper.swap(orderFor(backend('qwen', 'http://q/v'), { unload }), ignorePhase);

  assert.equal(shop.read('told'), 'qwen|gemma phi|http://q/v|test asks for it');
});

test('JANO_FROM is set and empty when nothing has to be unloaded', async (t) => {
  const shop = openWorkshop(t, 'set -u; echo "[$JANO_FROM]" > told; exit 1');

  await shop.swapper.swap(orderFor(nowhere), ignorePhase);

  assert.equal(shop.read('told'), '[]');
});

test('configured variables are laid over those of Jano itself', async (t) => {
  process.env['JANO_TEST_KEPT'] = 'kept';
  process.env['JANO_TEST_CHANGED'] = 'old';
  const environment = { JANO_TEST_CHANGED: 'new' };
  const script = 'echo "$JANO_TEST_KEPT $JANO_TEST_CHANGED" > told; exit 1';
  const shop = openWorkshop(t, script, { environment });

  await shop.swapper.swap(orderFor(nowhere), ignorePhase);

  assert.equal(shop.read('told'), 'kept new');
});

test('the script has an empty stdin and a process group and session of its own', async (t) => {
  const shop = openWorkshop(t, 'cat > stdin; echo $$ > pid; cat /proc/$$/stat > stat; exit 1');

  await shop.swapper.swap(orderFor(nowhere), ignorePhase);

  const [, , group, session, terminal] = shop
    .read('stat')
    .replace(/^.*\) /, '')
    .split(' ');
  assert.equal(shop.read('stdin'), '');
  assert.deepEqual([group, session, terminal], [shop.read('pid'), shop.read('pid'), '0']);
});

test('a script that fails is a failed swap with the last lines of its stderr', async (t) => {
  const script =
    'echo loading; echo first >&2; printf "\\033[31mno memory\\033[0m\\r\\n" >&2; exit 3';
  const shop = openWorkshop(t, script);

  const result = await shop.swapper.swap(orderFor(nowhere), ignorePhase);

  assert.equal(result.outcome, 'script_failed');
  assert.equal(result.readyMs, null);
  assert.equal(
    result.error,
    'swap of "qwen" failed: ./swap.sh qwen ended with exit code 3: first | no memory',
  );
});

test('a script that fails with nothing on stderr is explained by its stdout', async (t) => {
  const shop = openWorkshop(t, 'echo no such model; exit 1');

  const { error } = await shop.swapper.swap(orderFor(nowhere), ignorePhase);

  assert.equal(
    error,
    'swap of "qwen" failed: ./swap.sh qwen ended with exit code 1: no such model',
  );
});

test('a script that prints 5 MB is not stopped by it, and its last line is shown', async (t) => {
  const script = 'yes "a line of output" | head -c 5000000 >&2; echo; echo "the end" >&2; exit 4';
  const shop = openWorkshop(t, script);

  const { error } = await shop.swapper.swap(orderFor(nowhere), ignorePhase);

  assert.match(error ?? '', /exit code 4: .*the end$/);
  assert.ok((error ?? '').length < 1200);
});

test('a last line that a background process passes on after the exit is shown', async (t) => {
  const shop = openWorkshop(t, '#!/bin/bash\nexec 2> >(cat >&2)\necho "too late?" >&2\nexit 5\n');

  const { error } = await shop.swapper.swap(orderFor(nowhere), ignorePhase);

  assert.match(error ?? '', /exit code 5: too late\?$/);
});

test('a script killed by a signal is a failed swap that says so', async (t) => {
  const shop = openWorkshop(t, 'echo oops >&2; kill -SEGV $$');

  const result = await shop.swapper.swap(orderFor(nowhere), ignorePhase);

  assert.equal(result.outcome, 'script_failed');
  assert.match(result.error ?? '', /^swap of "qwen" failed: .* was killed by SIGSEGV: .*oops/);
});

test('a missing script is a failed swap that names it and its folder', async (t) => {
  const shop = openWorkshop(t, '', { command: ['./swop.sh'] });

  const result = await shop.swapper.swap(orderFor(nowhere), ignorePhase);

  assert.equal(result.outcome, 'script_failed');
  assert.ok(result.error?.includes(`there is no ./swop.sh in ${shop.folder}`));
});

test('a missing folder is a failed swap that names it', async (t) => {
  const shop = openWorkshop(t, '', { directory: '/no/such/folder' });

  const { error } = await shop.swapper.swap(orderFor(nowhere), ignorePhase);

  assert.ok(error?.includes('there is no ./swap.sh in /no/such/folder'));
});

test('a script with a shell that does not exist is a failed swap that hints at it', async (t) => {
  const shop = openWorkshop(t, '#!/bin/bash\r\necho\r\n');

  const { error } = await shop.swapper.swap(orderFor(nowhere), ignorePhase);

  assert.ok(error?.includes('the program in its first line (#!) does not exist'));
});

test('a script that is not executable is a failed swap that says how to make it so', async (t) => {
  const shop = openWorkshop(t, '');
  chmodSync(join(shop.folder, 'swap.sh'), 0o644);

  const result = await shop.swapper.swap(orderFor(nowhere), ignorePhase);

  assert.equal(result.outcome, 'script_failed');
  assert.ok(result.error?.includes('chmod +x'));
});

test('a program that the system refuses outright is a failed swap', async (t) => {
  const shop = openWorkshop(t, '', { command: ['./swap.sh\0'] });

  const result = await shop.swapper.swap(orderFor(nowhere), ignorePhase);

  assert.equal(result.outcome, 'script_failed');
  assert.match(result.error ?? '', /could not be started/);
});

test('without a swap command a swap fails with a sentence that says so', async (t) => {
  const shop = openWorkshop(t, '', { command: null });

  const result = await shop.swapper.swap(orderFor(nowhere), ignorePhase);

  assert.equal(result.outcome, 'script_failed');
  assert.equal(result.error, 'swap of "qwen" failed: no swap.command is configured');
});

test('a listener for phases that throws fails the swap and rejects nothing', async (t) => {
  const shop = openWorkshop(t, '');

  const result = await shop.swapper.swap(orderFor(nowhere), () => {
    throw new Error('listener broke');
  });

  assert.equal(result.outcome, 'script_failed');
  assert.match(result.error ?? '', /listener broke/);
});

test('unload runs the script with `unload` and the model', async (t) => {
  const shop = openWorkshop(t, 'set -u; echo "$* $JANO_MODEL $JANO_URL$JANO_FROM" > told');

  const problem = await shop.swapper.unload(backend('qwen', 'http://q'));

  assert.equal(problem, null);
  assert.equal(shop.read('told'), 'unload qwen qwen http://q');
});

test('an unload that fails says what went wrong', async (t) => {
  const shop = openWorkshop(t, 'echo "still busy" >&2; exit 2');

  const problem = await shop.swapper.unload(nowhere);

  assert.equal(
    problem,
    'unload of "qwen" failed: ./swap.sh unload qwen ended with exit code 2: still busy',
  );
});
