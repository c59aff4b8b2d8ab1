import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const OXLINT = join(ROOT, 'node_modules/oxlint/bin/oxlint');
const run = promisify(execFile);

/** What no layer may do, by the table of layers. */
const forbidden: readonly [file: string, code: string][] = [
  ['core/a.ts', "import '../http/app.ts';"],
  ['core/policy/a.ts', "import '../../swap/swapper.ts';"],
  ['core/a.ts', "import 'express';"],
  ['core/a.ts', "import 'node:fs';"],
  ['core/a.ts', 'export const at = Date.now();'],
  ['core/a.ts', 'setTimeout(() => undefined, 1);'],
  ['core/a.ts', 'export const path = process.cwd();'],
  ['swap/a.ts', "import '../dispatch/dispatcher.ts';"],
  ['swap/a.ts', "import 'express';"],
  ['dispatch/a.ts', "import { createSwapper } from '../swap/createSwapper.ts'; createSwapper();"],
  ['dispatch/a.ts', "import 'node:fs';"],
  ['http/routes/a.ts', "import '../../swap/swapper.ts';"],
  ['http/a.ts', "import '../config/schema.ts';"],
  ['http/a.ts', "import '@opentelemetry/api';"],
  ['telemetry/a.ts', "import '../http/app.ts';"],
  ['config/a.ts', "import '../http/app.ts';"],
  ['config/a.ts', "import { createSwapper } from '../swap/createSwapper.ts'; createSwapper();"],
  ['store/a.ts', "import '../dispatch/dispatcher.ts';"],
  ['cli/a.ts', "import '../http/app.ts';"],
  ['cli/a.ts', "import { Catalog } from '../core/catalog.ts'; console.log(Catalog);"],
  ['examples/a.ts', "import '../core/catalog.ts';"],
  ['http/a.ts', "import '../jano.ts';"],
];

const allowed: readonly [file: string, code: string][] = [
  ['dispatch/a.ts', "import type { Swapper } from '../swap/swapper.ts'; export type S = Swapper;"],
  [
    'http/a.ts',
    "import { RejectedError } from '../dispatch/rejectedError.ts'; export { RejectedError };",
  ],
  ['jano.ts', "import { createApp } from './http/app.ts'; export { createApp };"],
];

/** The rules that the linter reports for a file of that name below src. */
async function lint(t: TestContext, file: string, code: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'jano-layers-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'src', file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${code}\n`);
  await copyFile(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  const report = await run(process.execPath, [OXLINT, 'src'], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  return report.stdout;
}

for (const [file, code] of forbidden) {
  test(`the linter refuses src/${file} that says ${code}`, async (t) => {
    assert.match(await lint(t, file, code), /no-restricted-\w+|no-nodejs-modules/);
  });
}

for (const [file, code] of allowed) {
  test(`the linter allows src/${file} to say ${code}`, async (t) => {
    assert.doesNotMatch(await lint(t, file, code), /no-restricted-\w+|no-nodejs-modules/);
  });
}
