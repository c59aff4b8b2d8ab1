import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { test, type TestContext } from 'node:test';
import { until } from '../rig/polling.ts';
import { type FakeMachine, type MachineOptions, startMachine } from '../support/machine.ts';
import type { RawConfig } from '../support/startJano.ts';
import { isAlive } from '../swap/processes.ts';
import { ask, askAll, goodReply } from './asking.ts';
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

test('at a second signal the program ends at once, and a script that ignores TERM with it', async (t) => {
  const {
    process: program,
    url,
    machine,
  } = await startProgram(t, new HeldAnswers(), {
    script: 'trap "" TERM; sleep 1000 & echo $! > sleeping; echo $$ > self; wait',
  });
  const exited = once(program, 'exit');
  const waiting = ask({ url }, 'a');
  await until('the script runs', () => machine.has('self') && machine.read('self') !== '');
  const processes = [machine.read('self'), machine.read('sleeping')].map(Number);

  program.kill('SIGINT');
  // Signals that come together are one, so it takes a few.
  const again = setInterval(() => program.kill('SIGINT'), 100);
  const [code] = await exited;
  clearInterval(again);

  assert.equal((await waiting).text, 'jano is stopping');
  assert.equal(code, 1);
  await until('all have ended', () => !processes.some(isAlive));
});

test('at a stop with 200 waiting and running and a script at work all are told, and nothing keeps the process', async (t) => {
  const held = new HeldAnswers();
  const machine = await startMachine(t, ['a', 'b'], held.answer, {
    resident: ['a'],
    script: 'sleep 1000 & echo $! > sleeping; echo $$ > self; wait',
  });
  const { models, command } = machine;
  const swap = { command, timeout: '1h', poll: '10ms' };
  const config = { models, swap, memory: { budget: 2 } };
  const [program, url] = await startBareJano(t, config);
  const exited = once(program, 'exit');

  const names = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? 'a' : 'b'));
  const replies = askAll({ url }, names);
  const running = await held.take(4);
  await untilStatus({ url }, 'all came', (now) => now.queueDepth === 196);
  await until('the script runs', () => machine.has('self') && machine.read('self') !== '');
  program.kill('SIGTERM');
  await until('it stops', async () => (await fetch(`${url}/health`)).status === 503);
  for (const answer of running) answer.end();

  const texts = (await replies).map(({ text }) => text);
  assert.deepEqual(countEach(texts), { 'a says hello': 4, 'jano is stopping': 196 });
  assert.deepEqual(await exited, [0, null]);
  const processes = [machine.read('self'), machine.read('sleeping')].map(Number);
  assert.deepEqual(processes.map(isAlive), [false, false]);
});

/** Jano as a process that does nothing at SIGTERM but stop: it ends only when nothing keeps it alive. */
async function startBareJano(t: TestContext, config: RawConfig): Promise<[ChildProcess, string]> {
  const [jano, assembly] = ['jano.ts', 'config/assembly.ts'].map(
    (file) => new URL(`../../src/${file}`, import.meta.url).href,
  );
  const code = `
    import { createJano } from '${jano}';
    import { configFrom } from '${assembly}';
    const jano = createJano(configFrom(${JSON.stringify(config)}, '.'), 'test');
    process.once('SIGTERM', () => jano.stop(60_000));
    await jano.start();
    jano.server.listen(0, '127.0.0.1', () => console.log(jano.server.address().port));`;
  const program = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => program.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: program.stdout }), 'line');
  return [program, `http://127.0.0.1:${line}`];
}

function countEach(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}

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
