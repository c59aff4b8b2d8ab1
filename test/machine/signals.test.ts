import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { until } from '../rig/polling.ts';
import { type FakeMachine, type MachineOptions, startMachine } from '../support/machine.ts';
import { isAlive } from '../swap/processes.ts';
import { ask, goodReply } from './asking.ts';
import { HeldAnswers } from './heldAnswers.ts';
import { readStatus, untilStatus } from './statusView.ts';

const PROGRAM = join(import.meta.dirname, '../../src/main.ts');

test('at SIGTERM the program answers what runs to its end, and is gone then', async (t) => {
  const held = new HeldAnswers();
  const { process: program, url } = await startProgram(t, held, { resident: ['a'] });
  const exited = once(program, 'exit');

  const running = ask({ url }, 'a');
  const answer = await held.next();
  answer.begin();
  program.kill('SIGTERM');
  await until('it stops', async () => (await fetch(`${url}/health`)).status === 503);
  const late = await ask({ url }, 'a');
  answer.end();

  assert.deepEqual(late, { status: 503, text: 'jano is stopping', retryAfter: '5' });
  assert.deepEqual(await running, goodReply('a'));
  assert.deepEqual(await exited, [0, null]);
});

test('at SIGTERM the program ends a running script with it', async (t) => {
  const held = new HeldAnswers();
  const {
    process: program,
    url,
    machine,
  } = await startProgram(t, held, {
    script: 'echo $$ > self; sleep 1000',
  });
  const exited = once(program, 'exit');

  const waiting = ask({ url }, 'a');
  await untilStatus({ url }, 'the swap', ({ swap }) => swap !== null);
  await until('the script runs', () => machine.has('self'));
  const script = Number(machine.read('self'));
  const { queueDepth } = await readStatus({ url });
  program.kill('SIGTERM');

  assert.equal(queueDepth, 1);
  assert.equal((await waiting).text, 'jano is stopping');
  await exited;
  assert.equal(isAlive(script), false);
});

/** Jano as a process of its own, in front of a machine with the model "a". */
async function startProgram(t: TestContext, held: HeldAnswers, options: MachineOptions) {
  const machine: FakeMachine = await startMachine(t, ['a'], held.answer, options);
  const config = join(dirname(machine.command), 'jano.json');
  const { models, command } = machine;
  const swap = { command, timeout: '20s', poll: '10ms' };
  await writeFile(config, JSON.stringify({ listen: '127.0.0.1:0', models, swap }));
  const program = spawn(process.execPath, [PROGRAM, '--config', config], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(() => program.kill('SIGKILL'));
  let printed = '';
  program.stdout.on('data', (chunk) => (printed += String(chunk)));
  const findUrl = (): string | undefined => /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0];
  await until('it listens', () => findUrl() !== undefined);
  return { process: program, machine, url: findUrl() ?? '' };
}
