import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  createLauncherFolder,
  futureEngines,
  startLauncher,
  untilPrinted,
} from './launcherFolder.ts';

const anyEngines = '>=0.0.0';
const printsArguments = 'console.log(JSON.stringify(process.argv));';
const waits = `
  setInterval(() => {}, 1000);
  console.log('ready');
`;

describe('a Node that fits', () => {
  test('runs the script with the arguments that node would have given it', async (t) => {
    const folder = createLauncherFolder(anyEngines, printsArguments);

    const { output } = await startLauncher(t, folder, ['script.ts', 'two words', '', '--flag'])
      .ended;

    const expected = [process.execPath, join(folder, 'script.ts'), 'two words', '', '--flag'];
    assert.deepEqual(JSON.parse(output), expected);
  });

  test('runs the script in the process of the launcher', async (t) => {
    const folder = createLauncherFolder(anyEngines, 'console.log(process.pid);');

    const started = startLauncher(t, folder, ['script.ts']);

    assert.equal((await started.ended).output, `${started.child.pid}\n`);
  });

  test('ends with the exit code of the script', async (t) => {
    const folder = createLauncherFolder(anyEngines, 'process.exitCode = 7;');

    const { code } = await startLauncher(t, folder, ['script.ts']).ended;

    assert.equal(code, 7);
  });

  test('shows where a script throws, and fails', async (t) => {
    const folder = createLauncherFolder(anyEngines, 'throw new Error("broken");');

    const { code, errors } = await startLauncher(t, folder, ['script.ts']).ended;

    assert.equal(code, 1);
    assert.match(errors, /Error: broken[^]*script\.ts:1/);
  });

  test('is ended by a signal that the script does not handle', async (t) => {
    const folder = createLauncherFolder(anyEngines, waits);
    const started = startLauncher(t, folder, ['script.ts']);
    await untilPrinted(started, 'ready');

    started.child.kill('SIGTERM');

    assert.equal((await started.ended).signal, 'SIGTERM');
  });

  test('fetches nothing and says nothing', async (t) => {
    const folder = createLauncherFolder(anyEngines, '');

    const end = await startLauncher(t, folder, ['--prepare']).ended;

    assert.deepEqual(end, { code: 0, signal: null, output: '', errors: '' });
    assert.ok(!existsSync(join(folder, '.node')));
  });
});

describe('the tests', () => {
  const onePasses = "import { test } from 'node:test'; test('one', () => {});";
  const oneFails = "import { test } from 'node:test'; test('one', () => { throw new Error(); });";

  test('pass when they pass', async (t) => {
    const folder = createLauncherFolder(anyEngines, onePasses);

    const { code, output } = await startLauncher(t, folder, ['--test', '*.ts']).ended;

    assert.equal(code, 0);
    assert.match(output, /pass 1\n/);
  });

  test('fail when one fails', async (t) => {
    const folder = createLauncherFolder(anyEngines, oneFails);

    const { code, output } = await startLauncher(t, folder, ['--test', '*.ts']).ended;

    assert.equal(code, 1);
    assert.match(output, /fail 1\n/);
  });

  test('run by the fetched Node when the own one does not fit', async (t) => {
    const folder = createLauncherFolder(futureEngines, onePasses);

    const { code, output } = await startLauncher(t, folder, ['--test', '*.ts']).ended;

    assert.equal(code, 0);
    assert.match(output, /pass 1\n/);
  });
});

describe('a Node that does not fit', () => {
  test('hands the arguments on as they are', async (t) => {
    const folder = createLauncherFolder(futureEngines, printsArguments);

    const { output } = await startLauncher(t, folder, ['script.ts', 'two words', '', '--flag'])
      .ended;

    const expected = [join(folder, 'script.ts'), 'two words', '', '--flag'];
    assert.deepEqual(JSON.parse(output).slice(1), expected);
  });

  test('makes the fetched one the `node` of everything below', async (t) => {
    const script = `
      import { execSync } from 'node:child_process';
      console.log(String(execSync('node --version')).trim());`;
    const folder = createLauncherFolder(futureEngines, script);

    const { output } = await startLauncher(t, folder, ['script.ts']).ended;

    assert.equal(output, 'v99.0.0\n');
  });

  test('ends with the exit code of the script', async (t) => {
    const folder = createLauncherFolder(futureEngines, 'process.exitCode = 7;');

    const { code } = await startLauncher(t, folder, ['script.ts']).ended;

    assert.equal(code, 7);
  });

  test('ends by the signal that ended the script', async (t) => {
    const folder = createLauncherFolder(futureEngines, "process.kill(process.pid, 'SIGKILL');");

    const { signal } = await startLauncher(t, folder, ['script.ts']).ended;

    assert.equal(signal, 'SIGKILL');
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`passes ${signal} on`, async (t) => {
      const script = `process.once('${signal}', () => process.exit(7)); ${waits}`;
      const folder = createLauncherFolder(futureEngines, script);
      const started = startLauncher(t, folder, ['script.ts']);
      await untilPrinted(started, 'ready');

      started.child.kill(signal);

      assert.equal((await started.ended).code, 7);
    });
  }

  test('passes a signal on once when npm repeats it at once', async (t) => {
    const script = `
      let count = 0;
      process.on('SIGINT', () => { count += 1; console.log('interrupted'); });
      process.on('SIGTERM', () => process.exit(count));
      ${waits}`;
    const folder = createLauncherFolder(futureEngines, script);
    const started = startLauncher(t, folder, ['script.ts']);
    await untilPrinted(started, 'ready');

    started.child.kill('SIGINT');
    await untilPrinted(started, 'interrupted');
    started.child.kill('SIGINT');
    started.child.kill('SIGTERM');

    assert.equal((await started.ended).code, 1);
  });
});
