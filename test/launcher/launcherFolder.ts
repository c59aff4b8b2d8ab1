import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { createFolder } from '../support/folder.ts';

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
  readonly errors: string;
}

export interface Started {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly ended: Promise<Ended>;
}

/** The root of the repository. */
export const repository = resolve(import.meta.dirname, '../..');

/** Engines that no Node has but the one that the stand-in for npm fetches. */
export const futureEngines = '>=99.0.0';

// Takes `install <name> --prefix <folder>`, and puts a Node there that says it is version 99.
const npmStandIn = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
const [, name, , folder] = process.argv.slice(2);
appendFileSync(new URL('fetches', import.meta.url), name + '\\n');
if (process.env.NPM_STAND_IN === 'fails') process.exit(1);
const bin = folder + '/node_modules/' + name.split('@')[0] + '/bin';
mkdirSync(bin, { recursive: true });
writeFileSync(bin + '/node', \`#!/bin/sh
[ "$1" = --version ] && echo v99.0.0 && exit
exec "\${process.execPath}" "$@"
\`, { mode: 0o755 });
`;

/** A new folder with run.mjs, a package.json with these engines, one script, and a stand-in for npm. */
export function createLauncherFolder(engines: string, script: string): string {
  const folder = createFolder('launcher');
  copyFileSync(join(repository, 'run.mjs'), join(folder, 'run.mjs'));
  const description = { type: 'module', engines: { node: engines } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(description));
  writeFileSync(join(folder, 'npm-cli.js'), npmStandIn);
  writeFileSync(join(folder, 'script.ts'), script);
  return folder;
}

/** Starts `node run.mjs` with these arguments in the folder, by the Node that runs the test unless another is given. */
export function startLauncher(
  t: TestContext,
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  node = process.execPath,
): Started {
  return start(t, node, ['run.mjs', ...args], folder, {
    ...freshEnvironment(),
    npm_execpath: join(folder, 'npm-cli.js'),
    ...env,
  });
}

/** Starts a command whose output is kept; what is left of it after the test is killed. */
export function start(
  t: TestContext,
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Started {
  // A process group of its own, as an interactive shell gives to a command.
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  const child = spawn(command, args, { cwd, env, stdio, detached: true });
  t.after(() => killGroup(child.pid));
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const ended = once(child, 'close').then(() => {
    return { code: child.exitCode, signal: child.signalCode, output, errors };
  });
  return { child, ended };
}

/** Resolves when the process has printed that text; rejects when it ends before. */
export async function untilPrinted({ child, ended }: Started, text: string): Promise<void> {
  const printed = Promise.withResolvers<void>();
  let output = '';
  child.stdout.on('data', (more: string) => {
    output += more;
    if (output.includes(text)) printed.resolve();
  });
  const tooEarly = ended.then((end) => {
    throw new Error(`ended before it printed "${text}": ${JSON.stringify(end)}`);
  });
  await Promise.race([printed.promise, tooEarly]);
  tooEarly.catch(() => {});
}

/** The environment without what npm, run.mjs and the test runner have put in: as in a new shell. */
export function freshEnvironment(): NodeJS.ProcessEnv {
  const theirs = /^(npm_(?!config_registry$).*|NODE|NODE_TEST_CONTEXT|INIT_CWD|JANO_.*)$/;
  const entries = Object.entries(process.env).filter(([name]) => !theirs.test(name));
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => {
    return !folder.startsWith(join(repository, '.node')) && !folder.endsWith('node_modules/.bin');
  });
  return { ...Object.fromEntries(entries), PATH: folders.join(':') };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // nothing is left of it
  }
}
