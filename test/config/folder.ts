import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/configError.ts';
import type { ConfigProblem } from '../../src/config/configError.ts';
import { loadConfig } from '../../src/config/configFile.ts';
import type { LoadedConfig, SearchOptions } from '../../src/config/configFile.ts';

/** File contents by path; those that end in `.sh` become executable. */
export type Files = Readonly<Record<string, string>>;

/** A folder that holds these files until the test ends. */
export async function makeFolder(t: TestContext, files: Files): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'jano-config-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    if (path.endsWith('.sh')) await chmod(file, 0o755);
  }
  return folder;
}

/** Loads with this folder as the current one, and with home and /etc/jano inside it. */
export function loadFrom(
  folder: string,
  environment: NodeJS.ProcessEnv = {},
  more: Partial<SearchOptions> = {},
): Promise<LoadedConfig> {
  return loadConfig({
    argument: null,
    environment,
    directory: folder,
    home: join(folder, 'home'),
    systemDirectory: join(folder, 'etc'),
    ...more,
  });
}

/** The config that a folder of these files gives. */
export async function loadFiles(
  t: TestContext,
  files: Files,
  environment: NodeJS.ProcessEnv = {},
): Promise<Config> {
  return toConfig(await loadFrom(await makeFolder(t, files), environment));
}

/** The config that was found; throws when none was. */
export function toConfig(loaded: LoadedConfig): Config {
  if (loaded.kind === 'found') return loaded.config;
  throw new Error(`no config in ${loaded.searched.join(', ')}`);
}

/** The problems a piece of work fails with; throws when it does not. */
export async function catchProblems(
  work: () => Promise<unknown>,
): Promise<readonly ConfigProblem[]> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('expected a ConfigError');
}

/** What is wrong with a jano.yaml, each as `line path: message`, in the order of the lines. */
export async function complainAbout(
  t: TestContext,
  yaml: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<readonly string[]> {
  const problems = await catchProblems(() => loadFiles(t, { 'jano.yaml': yaml }, environment));
  return problems
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
    .map(({ line, path, message }) => `${line ?? '-'} ${path}: ${message}`);
}
