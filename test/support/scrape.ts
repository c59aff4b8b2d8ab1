import assert from 'node:assert/strict';

/** What a scrape of /metrics says. */
export interface Scrape {
  readonly text: string;
  /** By the name of the metric. */
  readonly types: ReadonlyMap<string, string>;
  /** By name and labels as they are written: `jano_queue_depth{model="qwen"}`. */
  readonly values: ReadonlyMap<string, number>;
}

/** Asks for it; fails the test when the answer is no metrics. */
export async function scrape(jano: { readonly url: string }): Promise<Scrape> {
  const response = await fetch(`${jano.url}/metrics`);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return readScrape(text);
}

/** Fails the test when a series is told twice. */
export function readScrape(text: string): Scrape {
  const lines = text.split('\n').filter((line) => line !== '');
  const types = lines.flatMap((line) => {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    return name === undefined || type === undefined ? [] : [[name, type] as const];
  });
  const values = lines
    .filter((line) => !line.startsWith('#'))
    .map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))] as const;
    });
  const byName = new Map(values);
  assert.equal(byName.size, values.length, 'a series is told twice');
  return { text, types: new Map(types), values: byName };
}

/** The value of a series; fails the test when there is none. */
export function valueOf({ values }: Scrape, series: string): number {
  const value = values.get(series);
  assert.ok(value !== undefined, `no ${series}`);
  return value;
}

/** The sum over all series of a metric, or of those with this in their labels. */
export function sumOf({ values }: Scrape, name: string, label = ''): number {
  let sum = 0;
  for (const [series, value] of values) {
    if (series.startsWith(`${name}{`) && series.includes(label)) sum += value;
  }
  return sum;
}
