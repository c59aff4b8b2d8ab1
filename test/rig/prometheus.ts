import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import type { Skipping } from '../support/ending.ts';
import { createFolder } from '../support/folder.ts';
import { askStatus, until } from './polling.ts';
import { findTool, run, type Tool } from './tool.ts';

/** A real Prometheus that scrapes one Jano. */
export interface Prometheus {
  /** What it answers to a query that has one number as its answer; null when there is none. */
  readonly ask: (query: string) => Promise<number | null>;
  /** All series of its answer, at this moment. */
  readonly askAll: (query: string) => Promise<readonly InstantSeries[]>;
  readonly askRange: (query: string, range: Range) => Promise<readonly RangeSeries[]>;
}

/** In seconds; the two ends since the epoch. */
export interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

export interface InstantSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: Sample;
}

export interface RangeSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly Sample[];
}

/** When, in seconds since the epoch, and the value in Prometheus' spelling: `NaN`, `+Inf`. */
export type Sample = readonly [number, string];

export interface PrometheusOptions {
  /** A length of time in Prometheus' spelling. */
  readonly scrapeInterval?: string;
  /** The text of a file of rules, which it then judges as often as it scrapes. */
  readonly rules?: string;
}

/** How a text of metrics fares with promtool. */
export interface Verdict {
  readonly code: number | null;
  /** What it finds wrong with it, also with its names. */
  readonly output: string;
}

const sample = z.tuple([z.number(), z.string()]);
const metric = z.record(z.string(), z.string());
const failure = z.object({ status: z.literal('error'), error: z.string() });

const instants = z.array(z.object({ metric, value: sample }));
const ranges = z.array(z.object({ metric, values: z.array(sample) }));

/** Prometheus 3, as installed into .cache; promtool lies beside it. */
export function findPrometheus(): Promise<Tool> {
  return findTool({
    name: 'Prometheus',
    folder: 'prometheus',
    path: 'bin/prometheus',
    elsewhere: null,
    check: (path) => run(path, ['--version']),
  });
}

/** Starts it in front of this URL; it ends with the test. Null where there is none: the test is then skipped and has to return. */
export async function startPrometheus(
  t: Skipping,
  url: string,
  { scrapeInterval = '200ms', rules }: PrometheusOptions = {},
): Promise<Prometheus | null> {
  const tool = await findPrometheus();
  if (tool.kind === 'missing') {
    t.skip(tool.reason);
    return null;
  }
  const folder = createFolder('prometheus');
  const config = {
    global: {
      scrape_interval: scrapeInterval,
      scrape_timeout: scrapeInterval,
      evaluation_interval: scrapeInterval,
    },
    rule_files: rules === undefined ? [] : ['rules.yml'],
    scrape_configs: [{ job_name: 'jano', static_configs: [{ targets: [new URL(url).host] }] }],
  };
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
  if (rules !== undefined) await writeFile(join(folder, 'rules.yml'), rules);
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    '--web.listen-address=127.0.0.1:0',
  ];
  const child = spawn(tool.path, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const base = `http://127.0.0.1:${await portIn(child.stderr)}`;
  await until('Prometheus is ready', async () => (await askStatus(`${base}/-/ready`)) === 200);
  return reachPrometheus(base);
}

/** One that runs already, at this URL. */
export function reachPrometheus(base: string): Prometheus {
  const askAll = (query: string): Promise<readonly InstantSeries[]> =>
    askApi(`${base}/api/v1/query`, { query }, instants);
  return {
    askAll,
    async ask(query) {
      const [first] = await askAll(query);
      return first === undefined ? null : Number(first.value[1]);
    },
    askRange: (query, { start, end, step }) =>
      askApi(
        `${base}/api/v1/query_range`,
        { query, start: `${start}`, end: `${end}`, step: `${step}` },
        ranges,
      ),
  };
}

/** What promtool says of the text; null where there is none: the test is then skipped and has to return. */
export function checkMetrics(t: TestContext, text: string): Promise<Verdict | null> {
  return runPromtool(t, ['check', 'metrics'], text);
}

/** What promtool says, given this to read; null where there is none: the test is then skipped and has to return. */
export async function runPromtool(
  t: TestContext,
  args: readonly string[],
  input = '',
): Promise<Verdict | null> {
  const tool = await findPrometheus();
  if (tool.kind === 'missing') {
    t.skip(tool.reason);
    return null;
  }
  const child = spawn(join(dirname(tool.path), 'promtool'), args);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  child.stdin.end(input);
  await once(child, 'close');
  return { code: child.exitCode, output };
}

/** Its result; rejects with what it finds wrong with the question. */
async function askApi<T>(
  url: string,
  question: Readonly<Record<string, string>>,
  result: z.ZodType<T>,
): Promise<T> {
  const answer: unknown = await (await fetch(`${url}?${new URLSearchParams(question)}`)).json();
  const failed = failure.safeParse(answer);
  if (failed.success) throw new Error(`${question['query']}: ${failed.data.error}`);
  return z.object({ data: z.object({ result }) }).parse(answer).data.result;
}

/** The port that it says it listens on; rejects when it ends before. */
async function portIn(output: NodeJS.ReadableStream): Promise<string> {
  let said = '';
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  output.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    const port = /Listening on.*?127\.0\.0\.1:(\d+)/.exec(said)?.[1];
    if (port !== undefined) resolve(port);
  });
  output.once('end', () => reject(new Error(`Prometheus ended: ${said.slice(-1000)}`)));
  return promise;
}
