import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run, type Tool } from '../rig/tool.ts';
import { createFolder } from '../support/folder.ts';
import type { Page } from './page.ts';
import { readPng, writeSmallPng } from './smallPng.ts';

const PICTURE_TIMEOUT_MS = 120_000;

/** The headless browser of this machine, if it has one. */
export async function findChromium(): Promise<Tool> {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    const path = await run('which', [name]).catch(() => null);
    if (path !== null) return { kind: 'found', path: path.stdout.trim() };
  }
  return { kind: 'missing', reason: 'no Chromium on the path: apt-get install chromium' };
}

/** Writes what the browser shows of the page, as a PNG; rejects when it can't. */
export async function takePicture(
  chromium: string,
  { html, height }: Page,
  width: number,
  path: string,
): Promise<void> {
  const folder = createFolder('picture');
  const page = join(folder, 'page.html');
  await writeFile(page, html);
  const shot = join(folder, 'shot.png');
  const flags = [
    '--headless=new',
    // As root there is none.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-gpu',
    '--hide-scrollbars',
    '--disable-lcd-text',
    '--font-render-hinting=none',
    '--no-first-run',
    `--user-data-dir=${join(folder, 'profile')}`,
    `--window-size=${width},${height}`,
    `--screenshot=${shot}`,
    `file://${page}`,
  ];
  await run(chromium, flags, { timeout: PICTURE_TIMEOUT_MS });
  await writeFile(path, writeSmallPng(readPng(await readFile(shot))));
}
