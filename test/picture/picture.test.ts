import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFolder } from '../support/folder.ts';
import { findChromium, takePicture } from './chromium.ts';
import { readDashboard } from './dashboard.ts';
import { drawPage } from './page.ts';
import { dashboardOf, panels, source } from './sample.ts';
import { type Bitmap, readPng, writeSmallPng } from './smallPng.ts';

/** Background of the page and of the panels: there is more of them than of anything else. */
const BACKGROUNDS = [0x11, 0x12, 0x17, 0x18, 0x1b, 0x1f];

test('a picture of a page is as large as the page, and shows it', async (t) => {
  const chromium = await findChromium();
  if (chromium.kind === 'missing') return t.skip(chromium.reason);
  const page = await drawPage(readDashboard(dashboardOf(Object.values(panels))), source, 800);
  const path = join(createFolder('picture'), 'page.png');

  await takePicture(chromium.path, page, 800, path);

  const file = await readFile(path);
  assert.equal(file.toString('latin1', 1, 4), 'PNG');
  assert.deepEqual([file.readUInt32BE(16), file.readUInt32BE(20)], [800, page.height]);
  assert.deepEqual(colorsOf(file).slice(0, 6), BACKGROUNDS);
  assert.ok(file.length > 5000, `${file.length} bytes`);
});

test('a small picture keeps the colours that matter', () => {
  // A grey that becomes lighter by nothing that is seen, and one small spot of red.
  const bitmap: Bitmap = { width: 1000, height: 4, pixels: new Uint8Array(12_000).fill(20) };
  for (let at = 0; at < 6000; at += 3) bitmap.pixels[at] = 20 + (at % 5);
  bitmap.pixels.set([242, 73, 92], 11_997);

  const file = writeSmallPng(bitmap);

  assert.deepEqual(colorsOf(file), [20, 20, 20, 242, 73, 92]);
});

test('what is no PNG of a browser is not taken for one', () => {
  const file = writeSmallPng({ width: 1, height: 1, pixels: new Uint8Array(3) });

  assert.throws(() => readPng(file), /no such PNG/);
});

/** Its palette, the most common colour first. */
function colorsOf(file: Buffer): number[] {
  return [...file.subarray(file.indexOf('PLTE') + 4, file.indexOf('IDAT') - 8)];
}
