import { tmpdir } from 'node:os';
import { configFrom } from '../../src/config/assembly.ts';
import type { Config } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/configError.ts';

/** A config of one model, `qwen`, whose swaps a program on PATH does, with more or other keys. */
export function configWith(more: Readonly<Record<string, unknown>> = {}): Config {
  return configFrom({ swap: { command: 'true' }, models: [modelWith()], ...more }, tmpdir());
}

/** One entry of `models`. */
export function modelWith(more: Readonly<Record<string, unknown>> = {}): unknown {
  return { name: 'qwen', url: 'http://127.0.0.1:8081', ...more };
}

/** What is wrong with such a config, each as `path: message`; empty when nothing is. */
export function faultsOf(more: Readonly<Record<string, unknown>>): readonly string[] {
  try {
    configWith(more);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path, message }) => `${path}: ${message}`);
  }
}

/** What is wrong with a config of these models. */
export function modelFaults(...models: readonly Readonly<Record<string, unknown>>[]) {
  return faultsOf({ models: models.map(modelWith) });
}
