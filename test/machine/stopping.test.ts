import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../rig/polling.ts';
import { isAlive } from '../swap/processes.ts';
import { ask, goodReply } from './asking.ts';
import { HeldAnswers } from './heldAnswers.ts';
import { openMachineRig } from './machineRig.ts';
import { untilStatus, untilWaiting } from './statusView.ts';

const LONG_MS = 60_000;

test('what runs at a stop is answered to its end, what comes is told that Jano stops', async (t) => {
  const held = new HeldAnswers();
  const { jano } = await openMachineRig(t, ['a'], { answer: held.answer, resident: ['a'] });

  const running = ask(jano, 'a');
  const answer = await held.next();
  answer.begin();
  const stopped = jano.stop(LONG_MS);
  const late = await ask(jano, 'a');
  const health = await fetch(`${jano.url}/health`);
  answer.end();

  assert.deepEqual(late, { status: 503, text: 'jano is stopping', retryAfter: '5' });
  assert.equal(health.status, 503);
  assert.deepEqual(await running, goodReply('a'));
  await stopped;
});

test('what waits at a stop is told so at once, and nothing is swapped for it any more', async (t) => {
  const held = new HeldAnswers();
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    answer: held.answer,
    resident: ['a'],
  });

  const running = ask(jano, 'a');
  const answer = await held.next();
  const waiting = ask(jano, 'b');
  await untilWaiting(jano, 1);
  const stopped = jano.stop(LONG_MS);
  // In the same step, before the one that waits could be told.
  answer.end();

  assert.equal((await waiting).text, 'jano is stopping');
  assert.deepEqual(await running, goodReply('a'));
  await stopped;
  assert.deepEqual(machine.swaps(), []);
});

test('an answer that takes longer than the limit is broken off at its end', async (t) => {
  const held = new HeldAnswers();
  const { jano } = await openMachineRig(t, ['a'], { answer: held.answer, resident: ['a'] });

  const running = assert.rejects(ask(jano, 'a'));
  (await held.next()).begin();
  await untilStatus(jano, 'it runs', (status) => status.running.length === 1);
  await jano.stop(50);

  await running;
  await until('its end was seen', () => jano.runningCount() === 0);
});

test('a running script is ended at a stop with all that it started, and those who wait are told', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], {
    script: 'sleep 1000 & echo $! > sleeping; echo $$ > self; wait',
  });

  const waiting = ask(jano, 'a');
  await until('the script runs', () => machine.has('self'));
  const [self, sleeping] = [machine.read('self'), machine.read('sleeping')].map(Number);
  await jano.stop(LONG_MS);

  assert.equal((await waiting).text, 'jano is stopping');
  assert.deepEqual(
    [self, sleeping].map((id) => isAlive(id ?? 0)),
    [false, false],
  );
  assert.deepEqual(machine.swaps(), ['a']);
});

test('a stop with nothing to do is done at once', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], { resident: ['a'] });
  await ask(jano, 'a');

  await jano.stop(LONG_MS);

  await assert.rejects(ask(jano, 'a'));
  assert.deepEqual(machine.residents(), ['a']);
});
