import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../rig/polling.ts';
import { ask, askAll, goodReply, UP_TO_30_SECONDS } from './asking.ts';
import { WAIT_FOR_GO } from '../support/machine.ts';
import { HeldAnswers } from './heldAnswers.ts';
import { openMachineRig } from './machineRig.ts';
import { readStatus, untilStatus, untilWaiting } from './statusView.ts';

/** Shell text. */
const FAILS_FOR_B = '[ "$1" != b ] || { echo "no memory" >&2; exit 3; }';
const FAILS_ONCE = '[ -e failed ] || { : > failed; echo "no memory" >&2; exit 3; }';

test('a script that fails once is tried again, and those who wait are served', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    resident: ['a'],
    script: FAILS_ONCE,
  });

  const replies = await askAll(jano, ['b', 'b']);

  assert.deepEqual(replies, ['b', 'b'].map(goodReply));
  assert.deepEqual(machine.swaps(), ['b', 'b']);
  const status = await readStatus(jano);
  assert.deepEqual([status.swapsTotal, status.swapFailuresTotal], [1, 1]);
  assert.match(status.lastError?.message ?? '', /no memory/);
  assert.equal(status.backendHealth['b'], 'up');
});

test('the second try is told again what has to make room', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    resident: ['a'],
    script: FAILS_ONCE,
  });

  await ask(jano, 'b');

  assert.deepEqual(machine.leavings(), ['a', 'a']);
  assert.deepEqual(machine.residents(), ['b']);
});

test('a script that fails twice costs its own callers a 503, the others go on', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b', 'c'], {
    resident: ['a'],
    script: FAILS_FOR_B,
  });

  const replies = await askAll(jano, ['b', 'c', 'b', 'a']);

  const [first, second, third, fourth] = replies;
  assert.deepEqual([second, fourth], [goodReply('c'), goodReply('a')]);
  for (const refused of [first, third]) {
    assert.equal(refused?.status, 503);
    assert.match(refused.retryAfter ?? '', UP_TO_30_SECONDS);
    assert.match(
      refused.text,
      /^model "b" could not be loaded: swap of "b" failed: .* 3: no memory/,
    );
  }
  assert.equal(machine.swaps().filter((model) => model === 'b').length, 2);
  assert.equal((await readStatus(jano)).backendHealth['b'], 'down');
});

test('a refused model is not tried again for a while, but its health is asked', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['b'], { script: FAILS_FOR_B });

  const first = await ask(jano, 'b');
  const second = await ask(jano, 'b');
  machine.setResidents('b');
  const late = await ask(jano, 'b');

  assert.deepEqual([first.status, second.status], [503, 503]);
  assert.deepEqual(late, goodReply('b'));
  assert.deepEqual(machine.swaps(), ['b', 'b']);
});

test('a refused model is tried again when the while is over', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['b'], {
    script: '[ -e twice ] || { [ ! -e once ] || : > twice; : > once; exit 3; }',
    policy: { refuseMs: 1000 },
  });

  const refused = await ask(jano, 'b');
  await until('it is tried again', async () => (await ask(jano, 'b')).status === 200);

  assert.deepEqual([refused.status, refused.retryAfter], [503, '1']);
  assert.deepEqual(machine.swaps(), ['b', 'b', 'b']);
});

test('the old model is used again when a failed swap has left it alone', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    resident: ['a'],
    script: FAILS_FOR_B,
  });

  const failed = await ask(jano, 'b');
  const reply = await ask(jano, 'a');

  assert.equal(failed.status, 503);
  assert.deepEqual(reply, goodReply('a'));
  assert.deepEqual(machine.swaps(), ['b', 'b']);
  assert.equal((await readStatus(jano)).currentModel, 'a');
});

test('a model that had to leave in a failed swap is not down, and is loaded when it is asked', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    resident: ['a'],
    script: '[ "$1" != b ] || { rm "in/a"; exit 3; }',
    isGated: true,
  });

  const failed = ask(jano, 'b');
  await machine.go();
  await machine.go();
  await failed;
  const reply = ask(jano, 'a');
  const { backendHealth } = await untilStatus(jano, 'it is loaded', ({ swap }) => swap?.to === 'a');
  await machine.go();

  assert.deepEqual(backendHealth, { a: 'unknown', b: 'down' });
  assert.deepEqual(await reply, goodReply('a'));
});

test('a model that is still coming up when another is wanted has to make room for it', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    script: '[ "$1" = a ] || exit 0',
    swap: { timeout: '1s' },
  });

  const refused = await ask(jano, 'b');
  const reply = await ask(jano, 'a');

  assert.equal(refused.status, 503);
  assert.deepEqual(reply, goodReply('a'));
  assert.deepEqual(machine.leavings(), ['', 'b']);
});

test('a script that somebody kills is tried again', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], {
    // A killed one cannot take its mark away.
    script: `[ -e self ] || { rmdir running; echo $$ > self; ${WAIT_FOR_GO}; }`,
  });

  const reply = ask(jano, 'a');
  await until('the script runs', () => machine.has('self') && machine.read('self') !== '');
  process.kill(Number(machine.read('self')), 'SIGKILL');

  assert.deepEqual(await reply, goodReply('a'));
  assert.deepEqual(machine.swaps(), ['a', 'a']);
  assert.match((await readStatus(jano)).lastError?.message ?? '', / was killed by SIGKILL/);
});

test('a script that writes without end is ended at the deadline, and the others go on', async (t) => {
  const { jano } = await openMachineRig(t, ['a', 'b'], {
    script: '[ "$1" = a ] || { yes "a line" & yes "another" >&2; }',
    swap: { timeout: '1s' },
  });

  const [a, b] = await askAll(jano, ['a', 'b']);

  assert.deepEqual(a, goodReply('a'));
  assert.equal(b?.status, 503);
  assert.match(b.text, /was still running and was ended.*: another \| another/);
});

test('all who wait for a model that cannot be loaded are told so, and nobody else', async (t) => {
  const held = new HeldAnswers();
  const { jano } = await openMachineRig(t, ['a', 'b'], {
    answer: held.answer,
    resident: ['a'],
    script: '[ "$1" = a ] || exit 1',
  });

  const goods = [ask(jano, 'a'), ask(jano, 'a')];
  const first = await held.next();
  const bads = askAll(
    jano,
    Array.from({ length: 10 }, () => 'b'),
  );
  await untilWaiting(jano, 10);
  first.end();
  await held.endNext(1);

  assert.deepEqual(await Promise.all(goods), ['a', 'a'].map(goodReply));
  assert.deepEqual(new Set((await bads).map(({ status }) => status)), new Set([503]));
  const status = await readStatus(jano);
  assert.deepEqual([status.queueDepth, status.inFlight, status.swap], [0, 0, null]);
});
