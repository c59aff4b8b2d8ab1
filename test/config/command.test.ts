import assert from 'node:assert/strict';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { resolveCommand } from '../../src/config/command.ts';
import { makeFolder } from './folder.ts';

const files = { 'swap.sh': '', 'my scripts/swap all.sh': '', 'plain.txt': '' };

for (const [command, expected] of [
  ['./swap.sh', ['FOLDER/swap.sh']],
  ['swap.sh', ['FOLDER/swap.sh']],
  ['./swap.sh --fast  now', ['FOLDER/swap.sh', '--fast', 'now']],
  ['my scripts/swap all.sh', ['FOLDER/my scripts/swap all.sh']],
  [
    ['./my scripts/swap all.sh', 'a b', ''],
    ['FOLDER/my scripts/swap all.sh', 'a b', ''],
  ],
  ['docker run --rm swap', ['docker', 'run', '--rm', 'swap']],
  [
    ['sh', '-c', 'echo $1'],
    ['sh', '-c', 'echo $1'],
  ],
  ['/bin/sh swap.sh', ['/bin/sh', 'swap.sh']],
] as const) {
  test(`the command ${JSON.stringify(command)} is found`, async (t) => {
    const folder = await makeFolder(t, files);

    const resolved = resolveCommand(command, folder);

    assert.deepEqual(resolved, {
      kind: 'command',
      command: expected.map((word) => word.replace('FOLDER', folder)),
    });
  });
}

test('an absolute path with blanks is the program', async (t) => {
  const folder = await makeFolder(t, files);
  const file = join(folder, 'my scripts/swap all.sh');

  assert.deepEqual(resolveCommand(file, '/'), { kind: 'command', command: [file] });
});

for (const [command, message] of [
  ['./gone.sh now', '"FOLDER/gone.sh" does not exist'],
  ['swap.sh/x', '"FOLDER/swap.sh/x" does not exist'],
  ['./my scripts/gone.sh', '"FOLDER/my" does not exist'],
  [['./my scripts'], '"FOLDER/my scripts" is not a file'],
  ['   ', 'must not be empty'],
  [['', 'x'], 'must not be empty'],
] as const) {
  test(`the command ${JSON.stringify(command)} is a problem`, async (t) => {
    const folder = await makeFolder(t, files);

    const resolved = resolveCommand(command, folder);

    assert.deepEqual(resolved, {
      kind: 'problem',
      message: message.replace('FOLDER', folder),
    });
  });
}

test('a script that is not executable is told to become so', async (t) => {
  const folder = await makeFolder(t, files);
  const file = join(folder, 'swap.sh');
  await chmod(file, 0o644);

  assert.deepEqual(resolveCommand('./swap.sh', folder), {
    kind: 'problem',
    message: `"${file}" is not executable: run chmod +x "${file}"`,
  });
});
