import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeLastLines } from '../../src/swap/outputTail.ts';

test('of many lines the last ten are shown', () => {
  const output = Array.from({ length: 30 }, (_, n) => `line ${n}\n`).join('');

  const shown = takeLastLines(output);

  assert.match(shown, /^line 20 \| line 21 .* \| line 29$/);
});

test('of a long line the last 1000 characters are shown', () => {
  assert.equal(takeLastLines(`${'x'.repeat(5000)}end`), `${'x'.repeat(997)}end`);
});

test('a progress bar, colours, empty lines and control characters are cleaned away', () => {
  const output = '10%\r99%\r\n\n \u001B[1;31mno\tmemory\u0007\u001B[0m \n\0';

  assert.equal(takeLastLines(output), '10% | 99% | no memory');
});

test('an output without text shows nothing', () => {
  assert.equal(takeLastLines('\n \r\n'), '');
});
