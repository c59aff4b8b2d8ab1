/** Writes a tiny model to a file: node cli.ts FILE [KIND] [NAME] */
import { writeFileSync } from 'node:fs';
import { makeTinyModel } from './tinyModel.ts';
import type { TinyModelKind } from './tinyModelSettings.ts';

const KINDS: readonly TinyModelKind[] = ['chat', 'code', 'tool', 'think', 'embed', 'rerank'];

const [path, kindText = 'chat', name] = process.argv.slice(2);
const kind = KINDS.find((known) => known === kindText);
if (path === undefined || kind === undefined) {
  console.error(`usage: cli.ts FILE [KIND] [NAME]; KIND is one of ${KINDS.join(', ')}`);
  process.exit(2);
}
writeFileSync(path, makeTinyModel(kind, name === undefined ? {} : { name }));
