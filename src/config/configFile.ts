import { readFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { defaultPolicy } from '../core/policy/settings.ts';
import { assemble } from './assembly.ts';
import type { Config } from './config.ts';
import { ConfigError, formatPath, locateFindings } from './configError.ts';
import { isAbsent, toReason } from './fileFault.ts';
import { checkListenVariables, overrideListen } from './listen.ts';
import { isOriginal, translateOriginal } from './original.ts';
import { expandVariables, pickFromFiles, readVariable, readVariables } from './variables.ts';
import type { Variables } from './variables.ts';
import { parseYamlText } from './yamlText.ts';

/** Where a config is looked for. */
export interface SearchOptions {
  /** What --config names, or null. */
  readonly argument: string | null;
  readonly environment: NodeJS.ProcessEnv;
  /** The folder Jano was started in. */
  readonly directory: string;
  readonly home: string;
  /** Looked at last; tests pass a folder of their own. */
  readonly systemDirectory?: string;
}

/** A config, or the files that were looked for in vain, with the variables that `overrideListen` needs. */
export type LoadedConfig =
  | { readonly kind: 'found'; readonly config: Config }
  | { readonly kind: 'none'; readonly searched: readonly string[]; readonly variables: Variables };

interface Candidate {
  readonly file: string;
  /** The option or variable that names it; such a file has to exist. */
  readonly namedBy: string | null;
}

interface FoundFile extends Candidate {
  readonly text: string;
}

/** Finds, reads and checks the config. Rejects with a ConfigError that holds all problems. */
export async function loadConfig(options: SearchOptions): Promise<LoadedConfig> {
  const { environment, directory } = options;
  const ownEnvFile = join(directory, '.env');
  const variables = await readVariables(environment, [ownEnvFile]);
  const candidates = listCandidates(options, variables);
  const found = await readFirst(candidates);
  if (found === undefined) {
    return { kind: 'none', searched: candidates.map(({ file }) => file), variables };
  }
  // The original read `.env` and ran its script where it was started, wherever MODELS_FILE was.
  const isElsewhere = found.namedBy === 'MODELS_FILE';
  const beside = dirname(found.file);
  const envFiles = [...(isElsewhere ? [ownEnvFile] : []), join(beside, '.env')];
  const config = readConfig(
    found,
    isElsewhere ? directory : beside,
    await readVariables(environment, envFiles),
  );
  return { kind: 'found', config };
}

function listCandidates(options: SearchOptions, variables: Variables): readonly Candidate[] {
  const { argument, directory, home, systemDirectory = '/etc/jano' } = options;
  const name = (file: string, namedBy: string | null) => {
    return { file: resolve(directory, file), namedBy };
  };
  if (argument !== null) return [name(argument, '--config')];
  const janoConfig = options.environment['JANO_CONFIG'];
  if (janoConfig) return [name(janoConfig, '$JANO_CONFIG')];
  const modelsFile = readVariable(variables, 'MODELS_FILE');
  const xdg = options.environment['XDG_CONFIG_HOME'] ?? '';
  // The XDG specification says that a relative folder is to be ignored.
  const configHome = isAbsolute(xdg) ? xdg : join(home, '.config');
  return [
    name('jano.yaml', null),
    modelsFile === undefined ? name('models.json', null) : name(modelsFile, 'MODELS_FILE'),
    name(join(configHome, 'jano', 'jano.yaml'), null),
    name(join(systemDirectory, 'jano.yaml'), null),
  ];
}

async function readFirst(candidates: readonly Candidate[]): Promise<FoundFile | undefined> {
  for (const { file, namedBy } of candidates) {
    try {
      // One after the other: the first that exists is the one, and the others are left alone.
      // oxlint-disable-next-line no-await-in-loop
      return { file, namedBy, text: await readFile(file, 'utf8') };
    } catch (error) {
      if (isAbsent(error) && namedBy === null) continue;
      const message = isAbsent(error)
        ? `the file does not exist; ${namedBy} names it`
        : toReason(error);
      throw new ConfigError([{ file, line: null, path: '', message }]);
    }
  }
  return undefined;
}

function readConfig({ file, namedBy, text }: FoundFile, directory: string, variables: Variables) {
  const parsed = parseYamlText(text, file);
  const listenProblems = checkListenVariables(variables);
  if (parsed.value === undefined) throw new ConfigError([...parsed.problems, ...listenProblems]);

  const { value, findings: unset } = expandVariables(parsed.value, variables);
  const mayBeOriginal = basename(file) === 'models.json' || namedBy === 'MODELS_FILE';
  const translation =
    mayBeOriginal && isOriginal(value)
      ? translateOriginal(value, variables, parsed.locate)
      : { raw: value, refuseMs: undefined, problems: [], locate: parsed.locate };
  const { raw, refuseMs = defaultPolicy.refuseMs, locate } = translation;
  const environment = pickFromFiles(variables);
  const assembled = assemble(raw, { file, directory, environment, refuseMs });

  // What an unset variable leaves behind is wrong as well; saying so would only repeat it.
  const unsetPaths = new Set(unset.map(({ path }) => formatPath(path)));
  const findings = assembled.kind === 'findings' ? assembled.findings : [];
  const others = findings.filter(({ path }) => !unsetPaths.has(formatPath(path)));
  const problems = [
    ...parsed.problems,
    ...translation.problems,
    ...locateFindings([...unset, ...others], locate),
    ...listenProblems,
  ];
  if (problems.length > 0 || assembled.kind === 'findings') throw new ConfigError(problems);
  return overrideListen(assembled.config, variables);
}
