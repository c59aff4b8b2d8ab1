import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const REPOSITORY = join(import.meta.dirname, '../..');

/** The file of the repository at that path, read. */
export function readYaml(path: string): unknown {
  return parse(readFileSync(resolve(REPOSITORY, path), 'utf8'));
}
