import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { freshEnvironment, start } from './launcherFolder.ts';

/** Folder with the `node` of that version, which npm installs into `folder`. */
export async function installNode(
  t: TestContext,
  folder: string,
  version: string,
): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const bin = join(folder, 'node_modules', name, 'bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  const args = ['install', `${name}@${version}`, '--ignore-scripts', '--no-audit', '--no-fund'];
  const end = await start(t, 'npm', args, folder, freshEnvironment()).ended;
  if (end.code !== 0) throw new Error(`cannot install Node ${version}: ${end.errors}`);
  return bin;
}

/** The environment of a new shell on a machine whose `node` is the one in that folder. */
export function environmentWith(bin: string): NodeJS.ProcessEnv {
  const env = freshEnvironment();
  return { ...env, PATH: bin + delimiter + env['PATH'] };
}
