import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { endWithTest, isAlive, leaveNoChildren } from './processes.ts';
import { backend } from '../support/backend.ts';
import { DEAD_URL, openWorkshop, orderFor, serve } from './workshop.ts';

leaveNoChildren();

const ignorePhase = (): void => {};

/** Leaves a process that holds stdout and stderr; on `go` it writes 3 MB to each and then makes the file `written`. */
const LEAVE_TALKER = `
mkfifo go
( echo started; read line < go
  head -c 3000000 /dev/zero && head -c 3000000 /dev/zero >&2 && : > written
  read line < go ) &
echo $! > pid
`;

test('a server that the script leaves holding its output does not hold up the swap', async (t) => {
  const shop = openWorkshop(t, LEAVE_TALKER);
  const url = await serve(t, (_, response) => response.end());

  const result = await shop.swapper.swap(orderFor(backend('qwen', url)), ignorePhase);

  endWithTest(t, Number(shop.read('pid')));
  assert.equal(result.outcome, 'ok');
  assert.equal(isAlive(Number(shop.read('pid'))), true);
});

test('a server left behind can write as much as it likes and lives on', async (t) => {
  const shop = openWorkshop(t, LEAVE_TALKER);
  const url = await serve(t, (_, response) => response.end());
  await shop.swapper.swap(orderFor(backend('qwen', url)), ignorePhase);
  endWithTest(t, Number(shop.read('pid')));

  writeFileSync(join(shop.folder, 'go'), 'now\n');

  await shop.appearance('written');
  assert.equal(isAlive(Number(shop.read('pid'))), true);
});

test('a server left behind by a script that failed does not hold up the answer', async (t) => {
  const shop = openWorkshop(t, `${LEAVE_TALKER}\necho "bad port" >&2; exit 6`);

  const { error } = await shop.swapper.swap(orderFor(backend('qwen', DEAD_URL)), ignorePhase);

  endWithTest(t, Number(shop.read('pid')));
  assert.match(error ?? '', /exit code 6: bad port$/);
});

test('a server that is not ready in time is left to come up late', async (t) => {
  const shop = openWorkshop(t, LEAVE_TALKER, { timeoutMs: 1000 });

  const result = await shop.swapper.swap(orderFor(backend('qwen', DEAD_URL)), ignorePhase);

  endWithTest(t, Number(shop.read('pid')));
  assert.equal(result.outcome, 'timeout');
  assert.equal(isAlive(Number(shop.read('pid'))), true);
});

test('closing leaves the servers that earlier scripts started alone', async (t) => {
  const shop = openWorkshop(t, LEAVE_TALKER);
  const url = await serve(t, (_, response) => response.end());
  await shop.swapper.swap(orderFor(backend('qwen', url)), ignorePhase);
  endWithTest(t, Number(shop.read('pid')));

  await shop.swapper.close();

  assert.equal(isAlive(Number(shop.read('pid'))), true);
});

test('a server left behind does not keep the process of Jano alive', async (t) => {
  const shop = openWorkshop(t, LEAVE_TALKER);
  const source = new URL('../../src/swap/createSwapper.ts', import.meta.url).href;
  const settings = `{ command: ['./swap.sh'], directory: '.', environment: {}, timeoutMs: 60000, pollMs: 5 }`;
  const code = `
    import { createSwapper } from '${source}';
    const catalog = { isDistinct: () => true };
    console.log(await createSwapper(${settings}, catalog, Date.now).unload({ model: 'qwen', url: 'http://q' }));`;

  const jano = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: shop.folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(jano, 'exit');
  const said = await jano.stdout.setEncoding('utf8').toArray();
  const [exitCode] = await exited;

  endWithTest(t, Number(shop.read('pid')));
  assert.deepEqual([exitCode, said.join('')], [0, 'null\n']);
});
