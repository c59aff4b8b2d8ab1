import { relative } from 'node:path';

/** Keys and indexes from the top of a config to one value. */
export type Path = readonly PropertyKey[];

/** What is wrong with one value, before it is known where that value was written. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
}

/** Where a value was written: file, line (null where there is none) and its name there, such as `models[1].url`. */
export interface Location {
  /** A file's path, or words such as `the environment`. */
  readonly file: string;
  readonly line: number | null;
  readonly path: string;
}

/** Tells where a value was written; for a value that is absent, where it would belong. */
export type Locate = (path: Path) => Location;

/** One thing to put right in a config. `path` is empty where the whole file is meant. */
export interface ConfigProblem extends Location {
  readonly message: string;
}

/** A config that cannot be used, with everything that is wrong with it. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(toSentence).join('; '));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** All problems as text for a terminal, grouped by file; files below `directory` are named relative to it. */
export function describeProblems(error: ConfigError, directory?: string): string {
  const byFile = Map.groupBy(error.problems, (problem) => problem.file);
  return [...byFile].map(([file, problems]) => describeFile(file, problems, directory)).join('\n');
}

/** A path as people write it: `models[1].health.path`. */
export function formatPath(path: Path): string {
  return path.map(formatStep).join('').replace(/^\./, '');
}

/** Findings with the place of each. */
export function locateFindings(findings: readonly Finding[], locate: Locate): ConfigProblem[] {
  return findings.map(({ path, message }) => ({ ...locate(path), message }));
}

function describeFile(
  file: string,
  problems: readonly ConfigProblem[],
  directory: string | undefined,
): string {
  const sorted = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const lines = sorted.map(({ line }) => (line === null ? '' : `line ${line}`));
  const lineWidth = Math.max(...lines.map((line) => line.length));
  const pathWidth = Math.max(20, ...sorted.map(({ path }) => path.length));
  const count = sorted.length === 1 ? '1 problem' : `${sorted.length} problems`;
  const rows = sorted.map(({ path, message }, index) =>
    [
      ...(lineWidth > 0 ? [`${(lines[index] ?? '').padEnd(lineWidth)} `] : []),
      ...(path === '' ? [] : [path.padEnd(pathWidth)]),
      message,
    ].join('  '),
  );
  return [`${toShortName(file, directory)} has ${count}:`, ...rows.map((row) => `  ${row}`)].join(
    '\n',
  );
}

function toShortName(file: string, directory: string | undefined): string {
  if (directory === undefined || !file.startsWith('/')) return file;
  const short = relative(directory, file);
  return short.startsWith('..') ? file : short;
}

function toSentence({ file, line, path, message }: ConfigProblem): string {
  const place = line === null ? file : `${file}:${line}`;
  return [place, path, message].filter((part) => part !== '').join(': ');
}

function formatStep(step: PropertyKey): string {
  if (typeof step === 'number') return `[${step}]`;
  const key = String(step);
  return /^[\w$-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
