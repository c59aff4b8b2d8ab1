import { tmpdir } from 'node:os';
import type { TestContext } from 'node:test';
import { configFrom } from '../../src/config/assembly.ts';
import type { Config } from '../../src/config/config.ts';
import { createJano, type Jano, type Surroundings } from '../../src/jano.ts';
import type { Ending } from './ending.ts';
import { listen } from './listening.ts';

/** Jano on a port of its own. */
export interface RunningJano extends Jano {
  readonly url: string;
  readonly port: number;
}

/** A config in the words of jano.yaml; what a test does not care about is small and quick. */
export type RawConfig = Readonly<Record<string, unknown>>;

/** Starts Jano as its users do, on a free port; it ends with the test. `change` may alter what jano.yaml has no word for. */
export async function startJano(
  t: Ending,
  raw: RawConfig,
  change: (config: Config) => Config = (config) => config,
  surroundings: Surroundings = {},
): Promise<RunningJano> {
  const config = change(
    configFrom({ swap: { command: 'true', timeout: '5s', poll: '10ms' }, ...raw }, tmpdir()),
  );
  const jano = createJano(config, '0.0.0-test', surroundings);
  t.after(() => jano.stop(0));
  await jano.start();
  const port = await listen(jano.server);
  return { ...jano, port, url: `http://127.0.0.1:${port}` };
}

/** Jano in front of one backend that is resident from the start, as the model "qwen"; `model` adds to its config. */
export function startJanoFor(
  t: TestContext,
  url: string,
  raw: RawConfig = {},
  model: RawConfig = {},
  surroundings: Surroundings = {},
): Promise<RunningJano> {
  const models = [{ name: 'qwen', url, parallel: 4, ...model }];
  return startJano(t, { models, ...raw }, undefined, surroundings);
}
