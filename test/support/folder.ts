import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/**
 * A new empty folder, by its real path, that is removed when the process of the tests ends.
 * Not by `t.after`: these run in the order in which they were set up, so what writes to the folder would still run;
 * and after one of them that fails the rest do not run, so the file would never end.
 */
export function createFolder(name: string): string {
  if (folders.length === 0) process.once('exit', removeFolders);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `jano-${name}-`)));
  folders.push(folder);
  return folder;
}

function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
