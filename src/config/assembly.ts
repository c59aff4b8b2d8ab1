import { resolve } from 'node:path';
import type { Backend } from '../core/backend.ts';
import { defaultPolicy } from '../core/policy/settings.ts';
import type { SwapSettings } from '../swap/settings.ts';
import { checkTogether, findModel } from './checks.ts';
import type { Draft } from './checks.ts';
import { resolveCommand } from './command.ts';
import type { ResolvedCommand } from './command.ts';
import type { Config } from './config.ts';
import { ConfigError, formatPath, locateFindings } from './configError.ts';
import type { Finding, Locate } from './configError.ts';
import { toFindings, wordIssue } from './issues.ts';
import { salvage } from './salvage.ts';
import { configSchema } from './schema.ts';
import type { ModelSettings, Settings } from './schema.ts';

/** What a config needs that its text does not say. */
export interface Surroundings {
  readonly file: string | null;
  /** Folder to which paths are relative, and in which the swap script runs. */
  readonly directory: string;
  /** Variables added to the swap script's environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly refuseMs: number;
}

/** Either a complete config, or everything that is wrong with it. */
export type Assembled =
  | { readonly kind: 'config'; readonly config: Config }
  | { readonly kind: 'findings'; readonly findings: readonly Finding[] };

/** A complete config from the keys of jano.yaml as a plain object; a ConfigError when it is wrong. Variables play no part. */
export function configFrom(raw: unknown, directory: string): Config {
  const { refuseMs } = defaultPolicy;
  const assembled = assemble(raw, { file: null, directory, environment: {}, refuseMs });
  if (assembled.kind === 'config') return assembled.config;
  throw new ConfigError(locateFindings(assembled.findings, locateNowhere));
}

/** Checks a config and completes it. Where some values are wrong, the others are still checked against each other. */
export function assemble(raw: unknown, surroundings: Surroundings): Assembled {
  const parsed = configSchema.safeParse(raw, { error: wordIssue });
  const issues = parsed.success ? [] : parsed.error.issues.flatMap((issue) => toFindings(issue));
  const draft = parsed.success ? parsed.data : salvage(raw);
  const command = findCommand(draft, surroundings.directory);
  const findings = [
    ...issues,
    ...checkTogether(draft),
    ...(command?.kind === 'problem'
      ? [{ path: ['swap', 'command'], message: command.message }]
      : []),
  ];
  if (!parsed.success || findings.length > 0) return { kind: 'findings', findings };
  const program = command?.kind === 'command' ? command.command : null;
  return { kind: 'config', config: complete(parsed.data, program, surroundings) };
}

const locateNowhere: Locate = (path) => {
  return { file: 'the config', line: null, path: formatPath(path) };
};

/** The swap command, or null where none is needed or nothing is known of it. */
function findCommand({ swap, models }: Draft, directory: string): ResolvedCommand | null {
  if (swap?.command === undefined) return null;
  if (swap.command !== null) return resolveCommand(swap.command, directory);
  if (models.every(({ pinned }) => pinned !== false)) return null;
  return { kind: 'problem', message: 'is required, as not every model is pinned' };
}

function complete(
  settings: Settings,
  command: SwapSettings['command'],
  { file, directory, environment, refuseMs }: Surroundings,
): Config {
  const { swap, policy, queue, limits, usage } = settings;
  return {
    file,
    listen: settings.listen,
    allowedHosts: settings.allowedHosts,
    auth: settings.auth,
    swap: { command, directory, environment, timeoutMs: swap.timeout, pollMs: swap.poll },
    models: settings.models.map(toBackend),
    memoryBudget: settings.memory.budget,
    defaultModel: toConfiguredName(settings.default, settings.models),
    preload: toConfiguredName(settings.preload, settings.models),
    policy: {
      ...defaultPolicy,
      refuseMs,
      swapShare: policy.swapShare,
      minTurnMs: policy.minTurn,
      maxTurnMs: policy.maxTurn,
      linger: policy.linger,
      queueTimeoutMs: queue.timeout,
    },
    queue: {
      maxWaiting: queue.maxWaiting,
      maxWaitingBytes: queue.maxWaitingBytes,
      timeoutMs: queue.timeout,
      keepAliveMs: queue.keepAlive,
    },
    limits: {
      bodyBytes: limits.body,
      requestMs: limits.request,
      idleSocketMs: limits.idleSocket,
    },
    usage: {
      records: usage.records,
      path: usage.path === null ? null : resolve(directory, usage.path),
      retention: usage.retention,
    },
    callers: settings.callers,
    health: { stuckAfterMs: settings.health.stuckAfter },
    traces: settings.traces,
    watch: settings.watch,
  };
}

function toBackend({ name, ttl, ...rest }: ModelSettings): Backend {
  return { model: name, ttlMs: ttl, ...rest };
}

function toConfiguredName(name: string | null, models: readonly ModelSettings[]): string | null {
  return name === null ? null : (findModel(models, name)?.name ?? null);
}
