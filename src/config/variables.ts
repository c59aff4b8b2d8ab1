import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { ConfigError } from './configError.ts';
import type { ConfigProblem, Finding, Location, Path } from './configError.ts';
import { isAbsent, readErrorCode, toReason } from './fileFault.ts';

/** One variable and where it was set; both null: in the environment of the process. */
interface Variable {
  readonly value: string;
  readonly file: string | null;
  readonly line: number | null;
}

/** Variables by name. */
export type Variables = ReadonlyMap<string, Variable>;

const reference = /\$\{env\.([^}]*)\}/g;

/** The process environment, completed by `.env` files; of several files the first wins. Missing files are no problem, unreadable ones are a ConfigError. */
export async function readVariables(
  environment: NodeJS.ProcessEnv,
  files: readonly string[],
): Promise<Variables> {
  const fromFiles = await Promise.all(files.map(readEnvFile));
  const fromProcess = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, { value, file: null, line: null }] as const],
  );
  return new Map([...fromFiles.toReversed().flat(), ...fromProcess]);
}

/** What the `.env` files added, for programs that Jano starts. */
export function pickFromFiles(variables: Variables): Record<string, string> {
  const fromFiles = [...variables].filter(([, { file }]) => file !== null);
  return Object.fromEntries(fromFiles.map(([name, { value }]) => [name, value]));
}

/** The variable's value, or undefined when it is unset or empty, as containers often pass it on. */
export function readVariable(variables: Variables, name: string): string | undefined {
  return variables.get(name)?.value.trim() || undefined;
}

/** Where a variable was set; an unset one belongs into the environment. */
export function locateVariable(variables: Variables, name: string): Location {
  const { file, line } = variables.get(name) ?? { file: null, line: null };
  return { file: file ?? 'the environment', line, path: name };
}

/** A problem with a variable's value. */
export function blameVariable(variables: Variables, name: string, message: string): ConfigProblem {
  return { ...locateVariable(variables, name), message };
}

/** A copy in which every `${env.NAME}` inside a string is replaced, and a finding for each that is unset. */
export function expandVariables(
  value: unknown,
  variables: Variables,
): { value: unknown; findings: readonly Finding[] } {
  const findings: Finding[] = [];
  return { value: expand(value, []), findings };

  function expand(part: unknown, path: Path): unknown {
    if (typeof part === 'string') return part.replace(reference, (_, name) => lookUp(name, path));
    if (Array.isArray(part)) return part.map((item, index) => expand(item, [...path, index]));
    if (typeof part !== 'object' || part === null) return part;
    const entries = Object.entries(part);
    return Object.fromEntries(entries.map(([key, item]) => [key, expand(item, [...path, key])]));
  }

  function lookUp(name: string, path: Path): string {
    const variable = variables.get(name);
    if (variable === undefined) {
      findings.push({ path, message: `the environment variable "${name}" is not set` });
    }
    return variable?.value ?? '';
  }
}

async function readEnvFile(file: string): Promise<readonly (readonly [string, Variable])[]> {
  const text = await readText(file);
  const lines = text.split('\n').map((line) => line.replace(/^\s*(?:export\s+)?/, ''));
  return Object.entries(parseEnv(text)).map(([name, value]) => {
    const index = lines.findLastIndex((line) => line.split('=', 1)[0]?.trim() === name);
    return [name, { value: value ?? '', file, line: index < 0 ? null : index + 1 }];
  });
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    // A folder named `.env` is usual in Python projects.
    if (isAbsent(error) || readErrorCode(error) === 'EISDIR') return '';
    throw new ConfigError([{ file, line: null, path: '', message: toReason(error) }]);
  }
}
