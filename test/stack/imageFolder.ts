import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

const REPOSITORY = join(import.meta.dirname, '../..');

/** What a stage of the Dockerfile comes to, with a folder as its file system. */
export interface ImageFolder {
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  /** Commands with the paths that they have on this machine. */
  readonly entrypoint: readonly string[];
  readonly healthcheck: readonly string[];
}

interface Stage {
  readonly root: string;
  directory: string;
  user: string;
  environment: Record<string, string>;
  entrypoint: readonly string[];
  healthcheck: readonly string[];
}

/**
 * Does in `folder`, on this machine's own Node and npm, what `docker build` would do: it copies what .dockerignore lets
 * through, and nothing else, and runs the same commands. Throws at the first thing that fails or that it does not know.
 */
export function buildImageFolder(folder: string): ImageFolder {
  const context = copyContext(folder);
  const stages = new Map<string, Stage>();
  let stage = emptyStage('');
  for (const [instruction, rest] of readInstructions()) {
    switch (instruction) {
      case 'FROM': {
        const [from = '', , name = 'last'] = rest.split(' ');
        stage = startStage(join(folder, name), stages.get(from));
        stages.set(name, stage);
        break;
      }
      case 'WORKDIR':
        stage.directory = rest;
        mkdirSync(join(stage.root, rest), { recursive: true });
        break;
      case 'COPY': {
        const from = /^--from=(\S+) /.exec(rest);
        const source = from === null ? context : stages.get(from[1] ?? '')?.root;
        if (source === undefined) throw new Error(`no such stage: ${rest}`);
        copy(source, rest.slice(from?.[0].length ?? 0), stage);
        break;
      }
      case 'RUN':
        runIn(stage, rest);
        break;
      case 'ENV':
        for (const pair of rest.split(' ')) {
          const [name = '', value = ''] = pair.split('=');
          stage.environment[name] = value;
        }
        break;
      case 'USER':
        stage.user = rest;
        break;
      case 'ENTRYPOINT':
        stage.entrypoint = commandIn(stage, rest);
        break;
      case 'HEALTHCHECK':
        stage.healthcheck = commandIn(stage, rest.slice(rest.indexOf('CMD ') + 4));
        break;
      case 'LABEL':
      case 'EXPOSE':
        break;
      default:
        throw new Error(`the test does not know ${instruction}`);
    }
  }
  return stage;
}

/** The lines of the Dockerfile without comments, those that go on joined. */
function readInstructions(): readonly (readonly [instruction: string, rest: string])[] {
  const text = readFileSync(join(REPOSITORY, 'Dockerfile'), 'utf8');
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const);
}

/** What .dockerignore leaves of the repository: it has to shut out everything and then let names in. */
function copyContext(folder: string): string {
  const lines = readFileSync(join(REPOSITORY, '.dockerignore'), 'utf8').split('\n');
  const [first, ...others] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (first !== '*') throw new Error(`.dockerignore begins with ${first}`);
  const context = join(folder, 'context');
  for (const line of others) {
    const name = line.slice(1);
    if (!line.startsWith('!')) throw new Error(`the test does not know ${line}`);
    cpSync(join(REPOSITORY, name), join(context, name), { recursive: true });
  }
  return context;
}

function emptyStage(root: string): Stage {
  return { root, directory: '/', user: 'root', environment: {}, entrypoint: [], healthcheck: [] };
}

/** `base` is undefined where it is an image from elsewhere. */
function startStage(root: string, base: Stage | undefined): Stage {
  mkdirSync(root);
  // Folders for temporary files are private, and the program is to be run by somebody else.
  for (const folder of [dirname(root), root]) chmodSync(folder, 0o755);
  if (base === undefined) return emptyStage(root);
  cpSync(base.root, root, { recursive: true });
  return { ...base, root, environment: { ...base.environment } };
}

function copy(from: string, words: string, { root, directory }: Stage): void {
  const paths = words.split(' ');
  const target = paths.pop() ?? '';
  const into = join(root, target.startsWith('/') ? '' : directory, target);
  for (const path of paths) {
    const source = join(from, path);
    cpSync(source, target.endsWith('/') ? join(into, basename(path)) : into, { recursive: true });
  }
}

function runIn(stage: Stage, command: string): void {
  const env = { ...process.env, ...stage.environment };
  env['PATH'] = dirname(process.execPath) + delimiter + env['PATH'];
  const options = { cwd: join(stage.root, stage.directory), env, encoding: 'utf8' as const };
  const { status, stderr } = spawnSync('sh', ['-c', command], options);
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
}

function commandIn({ root }: Stage, json: string): readonly string[] {
  const words: unknown = JSON.parse(json);
  if (!Array.isArray(words)) throw new Error(`not a list: ${json}`);
  return words.map((word: unknown) => {
    const text = String(word);
    if (text === 'node') return process.execPath;
    return text.startsWith('/') ? join(root, text) : text;
  });
}
