import { foldName } from './checks.ts';
import { formatPath } from './configError.ts';
import type { ConfigProblem, Locate } from './configError.ts';
import { isPlainObject } from './plainObject.ts';
import { blameVariable, locateVariable, readVariable } from './variables.ts';
import type { Variables } from './variables.ts';

/** The original's models.json and variables in the shape of jano.yaml. */
export interface Translation {
  readonly raw: unknown;
  /** How long a model is refused after its swap failed, or undefined when no variable says. */
  readonly refuseMs: number | undefined;
  readonly problems: readonly ConfigProblem[];
  /** Finds a path of jano.yaml where the original has it: in its file or in a variable. */
  readonly locate: Locate;
}

interface OriginalFile {
  readonly models: readonly Readonly<Record<string, unknown>>[];
}

const modelKeys: ReadonlySet<string> = new Set([
  'name',
  'url',
  'label',
  'aliases',
  'passthrough',
  'endpoints',
]);

const variableByPath: Readonly<Record<string, string>> = {
  'swap.command': 'SWAP_COMMAND',
  'swap.timeout': 'SWAP_WAIT_TIMEOUT_MS',
  'swap.poll': 'HEALTH_POLL_INTERVAL_MS',
  'limits.request': 'REQUEST_TIMEOUT_MS',
  'usage.records': 'USAGE_RECORDS_MAX',
};

/** Whether a file has the original's shape: `models` alone, none with a key that the original did not have. */
export function isOriginal(value: unknown): value is OriginalFile {
  if (!isPlainObject(value) || Object.keys(value).join() !== 'models') return false;
  const { models } = value;
  return Array.isArray(models) && models.every(isOriginalModel);
}

/**
 * Puts the original's file and variables into the shape of jano.yaml. SWAP_FAILURE_LIMIT is read and checked, but has no effect:
 * here a failed swap is tried once more, and then the model is refused.
 */
export function translateOriginal(
  file: OriginalFile,
  variables: Variables,
  locateInFile: Locate,
): Translation {
  const problems: ConfigProblem[] = [];
  const readNumber = (name: string, least: number, unit: string): number | undefined => {
    const written = readVariable(variables, name);
    if (written === undefined) return undefined;
    const number = /^\d+$/.test(written) ? Number(written) : Number.NaN;
    if (number >= least && Number.isSafeInteger(number)) return number;
    const message = `"${written}": expected a whole number${unit} from ${least}`;
    problems.push(blameVariable(variables, name, message));
    return undefined;
  };
  readNumber('SWAP_FAILURE_LIMIT', 1, '');
  const refuseMs = readNumber('SWAP_FAILURE_RESET_MS', 0, ' of milliseconds');
  const timeoutMs = readNumber('SWAP_WAIT_TIMEOUT_MS', 1, ' of milliseconds');
  const pollMs = readNumber('HEALTH_POLL_INTERVAL_MS', 1, ' of milliseconds');
  const requestMs = readNumber('REQUEST_TIMEOUT_MS', 0, ' of milliseconds') ?? 600_000;
  const records = readNumber('USAGE_RECORDS_MAX', 1, '');
  const raw = {
    models: file.models.map(translateModel),
    swap: {
      command: readVariable(variables, 'SWAP_COMMAND') ?? null,
      ...(timeoutMs === undefined ? {} : { timeout: `${timeoutMs}ms` }),
      ...(pollMs === undefined ? {} : { poll: `${pollMs}ms` }),
    },
    limits: { request: `${requestMs}ms` },
    usage: records === undefined ? {} : { records },
  };
  const locate: Locate = (path) => {
    const variable = variableByPath[formatPath(path)];
    if (variable !== undefined) return locateVariable(variables, variable);
    const isPinned = path[0] === 'models' && path[2] === 'pinned';
    return locateInFile(isPinned ? path.with(2, 'passthrough') : path);
  };
  return { raw, refuseMs, problems, locate };
}

function translateModel(model: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { passthrough, aliases, ...rest } = model;
  return {
    ...rest,
    ...(passthrough === undefined ? {} : { pinned: passthrough }),
    ...(aliases === undefined ? {} : { aliases: dropRepeated(aliases, model['name']) }),
  };
}

/** The original put up with an alias that repeats its own model's name or another alias of it. */
function dropRepeated(aliases: unknown, name: unknown): unknown {
  if (!Array.isArray(aliases)) return aliases;
  const seen = new Set<unknown>([fold(name)]);
  return aliases.filter((alias: unknown) => {
    const isNew = !seen.has(fold(alias));
    seen.add(fold(alias));
    return isNew;
  });
}

function fold(name: unknown): unknown {
  return typeof name === 'string' ? foldName(name) : name;
}

function isOriginalModel(model: unknown): boolean {
  return isPlainObject(model) && Object.keys(model).every((key) => modelKeys.has(key));
}
