import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** docs/observability.md. */
export interface Manual {
  readonly text: string;
  /** What it tells to ask Prometheus. */
  readonly queries: readonly string[];
  /** The first cells of its tables, by the heading above. */
  readonly entries: ReadonlyMap<string, readonly string[]>;
}

export const MANUAL_FOLDER = join(import.meta.dirname, '../../docs');

export async function readManual(): Promise<Manual> {
  const text = await readFile(join(MANUAL_FOLDER, 'observability.md'), 'utf8');
  const queries = [...text.matchAll(/^```promql\n(.*?)\n```$/gms)].map(([, query = '']) => query);
  const entries = new Map<string, string[]>();
  for (const section of text.split(/^#+ /m)) {
    const [heading = '', ...lines] = section.split('\n');
    const cells = lines.flatMap((line) => /^\| ([^-].*?) +\|/.exec(line)?.[1] ?? []);
    entries.set(heading, cells);
  }
  return { text, queries, entries };
}
