import { formatPath } from './configError.ts';
import type { Finding, Path } from './configError.ts';
import type { ModelSettings, Settings } from './schema.ts';
import { suggest } from './suggestion.ts';

/** The settings that depend on each other. Those that are absent are a problem already. */
export interface Draft {
  readonly models: readonly Partly<ModelSettings>[];
  readonly auth?: Partly<Settings['auth']> | undefined;
  readonly memory?: Partly<Settings['memory']> | undefined;
  readonly policy?: Partly<Settings['policy']> | undefined;
  readonly swap?: Partly<Settings['swap']> | undefined;
  readonly default?: string | null | undefined;
  readonly preload?: string | null | undefined;
}

type Partly<Values> = { readonly [Key in keyof Values]?: Values[Key] | undefined };

type DraftModel = Draft['models'][number];

/** What is wrong with values that are each right on their own. */
export function checkTogether(draft: Draft): readonly Finding[] {
  return [
    ...findSharedNames(draft.models),
    ...draft.models.flatMap((model, index) => checkModel(model, index, draft.memory?.budget)),
    ...checkDefaults(draft),
    ...checkPolicy(draft.policy ?? {}),
    ...findSharedKeys(draft.auth?.keys ?? {}),
  ];
}

/** The model that a name or alias stands for, or undefined. */
export function findModel<Model extends DraftModel>(
  models: readonly Model[],
  name: string,
): Model | undefined {
  const wanted = foldName(name);
  return models.find((model) => namesOf(model).some((known) => foldName(known) === wanted));
}

/** What two names have in common that mean the same: upper and lower case and `:latest` do not count. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/:latest$/, '');
}

function findSharedNames(models: readonly DraftModel[]): readonly Finding[] {
  const owners = new Map<string, string>();
  const findings: Finding[] = [];
  for (const [index, model] of models.entries()) {
    if (model.name !== undefined) claim(model.name, ['models', index, 'name']);
  }
  for (const [index, model] of models.entries()) {
    model.aliases?.forEach((alias, at) => claim(alias, ['models', index, 'aliases', at]));
  }
  return findings;

  function claim(name: string, path: Path): void {
    const owner = owners.get(foldName(name));
    if (owner === undefined) {
      owners.set(foldName(name), formatPath(path));
      return;
    }
    const message = `"${name}" is taken by ${owner}; upper and lower case and ":latest" do not count`;
    findings.push({ path, message });
  }
}

function checkModel(
  model: DraftModel,
  index: number,
  budget: number | undefined,
): readonly Finding[] {
  const findings: Finding[] = [];
  const add = (key: string, message: string) => {
    findings.push({ path: ['models', index, key], message });
  };
  const { memory, name = '', pinned, ttl = 0 } = model;
  if (pinned !== false) {
    if (pinned === true && ttl > 0)
      add('ttl', 'a pinned model is never unloaded: drop ttl or pinned');
    return findings;
  }
  if (memory !== undefined && budget !== undefined && memory > budget) {
    add('memory', `${memory} is more than memory.budget, which is ${budget}: it could never load`);
  }
  if (['status', 'unload'].includes(name)) {
    add('name', `the swap script takes "${name}" for a command, not for a model`);
  }
  return findings;
}

function checkDefaults({ models, default: defaultName, preload }: Draft): readonly Finding[] {
  // A model whose own name is wrong may be the one that is meant.
  if (models.some(({ name, aliases }) => name === undefined || aliases === undefined)) return [];
  const findings: Finding[] = [];
  for (const [key, name] of Object.entries({ default: defaultName, preload })) {
    if (name === null || name === undefined) continue;
    const model = findModel(models, name);
    if (model === undefined) {
      const message = `no model is called "${name}"${suggest(name, models.flatMap(namesOf))}`;
      findings.push({ path: [key], message });
    } else if (key === 'preload' && model.pinned === true) {
      findings.push({ path: [key], message: `"${name}" is pinned: it is never loaded by Jano` });
    }
  }
  return findings;
}

function checkPolicy({ minTurn, maxTurn }: NonNullable<Draft['policy']>): readonly Finding[] {
  if (minTurn === undefined || maxTurn === undefined || minTurn <= maxTurn) return [];
  const message = `must not be longer than policy.maxTurn, which is ${maxTurn} ms`;
  return [{ path: ['policy', 'minTurn'], message }];
}

function findSharedKeys(keys: Readonly<Record<string, string>>): readonly Finding[] {
  const owners = new Map<string, string>();
  return Object.entries(keys).flatMap(([name, key]) => {
    const owner = owners.get(key);
    owners.set(key, owner ?? name);
    if (owner === undefined) return [];
    return [{ path: ['auth', 'keys', name], message: `has the same key as "${owner}"` }];
  });
}

function namesOf({ name, aliases }: DraftModel): readonly string[] {
  return [...(name === undefined ? [] : [name]), ...(aliases ?? [])];
}
