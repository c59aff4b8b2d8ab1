import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { environmentWith, installNode } from './installedNode.ts';
import { createFolder } from '../support/folder.ts';
import { freshEnvironment, repository, start } from './launcherFolder.ts';
import type { Started } from './launcherFolder.ts';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

const deadlineMs = 60_000;

test('a fresh clone starts and answers on the Node of the machine, and ends on Ctrl-C', async (t) => {
  const env = freshEnvironment();
  const own = realpathSync(spawnSync('which', ['node'], { env, encoding: 'utf8' }).stdout.trim());
  const clone = await installClone(t, env);
  // Fetched only when the machine's own does not fit; the tests of the launcher see to that.
  const [fetched] = existsSync(join(clone, '.node')) ? readdirSync(join(clone, '.node')) : [];

  const { npm, url } = await startJano(t, clone, env);
  const runs = nodeThatRuns(clone);
  const status = await chat(url);
  // A terminal sends it to the whole process group.
  process.kill(-(npm.child.pid ?? 0), 'SIGINT');
  const end = await npm.ended;

  assert.equal(runs, fetched === undefined ? own : join(clone, '.node', fetched, 'bin/node'));
  assert.equal(status, 200);
  assert.equal(end.code, 0, JSON.stringify(end));
  assert.deepEqual(await leftBehind(clone), []);
});

test('a fresh clone starts, answers and plays the demo by npm 12', async (t) => {
  const folder = createFolder('launcher');
  const options = ['--no-save', '--ignore-scripts', '--loglevel=error'];
  const install = ['install', 'npm@12', '--prefix', folder, ...options];
  const installed = await start(t, 'npm', install, folder, freshEnvironment()).ended;
  assert.equal(installed.code, 0, installed.errors);
  const env = environmentWith(join(folder, 'node_modules/.bin'));
  const { stdout } = spawnSync('npm', ['--version'], { env, encoding: 'utf8' });
  const clone = await installClone(t, env);

  const { npm, url } = await startJano(t, clone, env);
  const status = await chat(url);
  npm.child.kill('SIGTERM');
  const end = await npm.ended;
  const demo = await start(t, 'npm', ['run', 'demo'], clone, env).ended;

  assert.match(stdout, /^12\./);
  assert.deepEqual([status, end.code, demo.code], [200, 0, 0], demo.errors);
  assert.match(demo.output, /swaps {4}1, .*\n.*arrival order would have cost 3/);
  assert.deepEqual(await leftBehind(clone), []);
});

for (const version of ['22.18.0', '24.22.3', '26.12.1']) {
  test(`a fresh clone starts and answers on Node ${version}, and ends when npm is told to`, async (t) => {
    const bin = await installNode(t, createFolder('launcher'), version);
    const env = environmentWith(bin);
    const clone = await installClone(t, env);

    const { npm, url } = await startJano(t, clone, env);
    const runs = nodeThatRuns(clone);
    const status = await chat(url);
    npm.child.kill('SIGTERM');
    const end = await npm.ended;

    assert.equal(runs, join(bin, 'node'));
    assert.ok(!existsSync(join(clone, '.node')));
    assert.equal(status, 200);
    assert.equal(end.code, 0, JSON.stringify(end));
    assert.deepEqual(await leftBehind(clone), []);
  });
}

/** A clone of HEAD in which `npm ci` has run without a warning about engines. */
async function installClone(t: TestContext, env: NodeJS.ProcessEnv): Promise<string> {
  const clone = join(createFolder('launcher'), 'jano');
  const git = await start(t, 'git', ['clone', '--quiet', repository, clone], repository, env).ended;
  assert.equal(git.code, 0, git.errors);
  const install = await start(t, 'npm', ['ci'], clone, env).ended;
  assert.equal(install.code, 0, install.errors);
  assert.doesNotMatch(install.errors + install.output, /EBADENGINE/);
  return clone;
}

/** `npm start` in that clone, once /status answers. */
async function startJano(
  t: TestContext,
  clone: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly npm: Started; readonly url: string }> {
  const port = await freePort();
  const npm = start(t, 'npm', ['start'], clone, { ...env, JANO_PORT: String(port) });
  t.after(() => {
    for (const { pid } of processesIn(clone)) process.kill(pid, 'SIGKILL');
  });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => {
    assert.equal(npm.child.exitCode, null, 'npm start has ended');
    return (await fetch(`${url}/status`).catch(() => undefined))?.status === 200;
  });
  return { npm, url };
}

/** HTTP status of a chat that was answered to its end. */
async function chat(url: string): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'hello' }] }),
    signal: AbortSignal.timeout(deadlineMs),
  });
  await response.text();
  return response.status;
}

/** Path of the Node that runs Jano in that folder: the last in the row of npm, launcher and Jano. */
function nodeThatRuns(clone: string): string {
  const candidates = processesIn(clone).filter(({ command }) => command.includes('src/main.ts'));
  const last = candidates.filter(({ pid }) => candidates.every(({ parent }) => parent !== pid));
  return last.map(({ pid }) => readlinkSync(`/proc/${pid}/exe`)).join();
}

/** Processes that still belong to that folder some seconds later. */
async function leftBehind(folder: string): Promise<readonly Process[]> {
  await until(() => processesIn(folder).length === 0, 5000).catch(() => {});
  return processesIn(folder);
}

function processesIn(folder: string): readonly Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1];
        const belongs = `${readlinkSync(`/proc/${name}/cwd`)} ${command}`.includes(folder);
        return belongs ? [{ pid: Number(name), parent: Number(parent), command }] : [];
      } catch {
        return []; // it has ended meanwhile
      }
    });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  server.close();
  await once(server, 'close');
  return address.port;
}

/** Resolves when the condition holds; rejects when it does not in time. */
async function until(
  condition: () => boolean | Promise<boolean>,
  patienceMs = deadlineMs,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`did not happen within ${patienceMs} ms`);
    await delay(100);
  }
}
