import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findGoProgram } from '../rig/goTool.ts';
import { createFolder } from '../support/folder.ts';

test('a program that Go has to build is missing where there is no Go, and says why', async (t) => {
  const { PATH } = process.env;
  t.after(() => (process.env['PATH'] = PATH));
  process.env['PATH'] = createFolder('path');
  const program = { name: 'nothing', version: '0.0.0', files: {}, steps: [] };

  const tool = await findGoProgram(program, assert.fail);

  const reason = 'nothing 0.0.0 cannot be built: there is no Go toolchain';
  assert.deepEqual(tool, { kind: 'missing', reason });
});
