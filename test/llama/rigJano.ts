import type { TestContext } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { untilHealthy } from '../rig/polling.ts';
import type { SwapRig } from '../rig/swapRig.ts';
import { type RawConfig, type RunningJano, startJano } from '../support/startJano.ts';

/** What jano.yaml is to say beyond the usual; `model` of each model. */
export interface RigConfig {
  readonly top?: RawConfig;
  readonly swap?: RawConfig;
  readonly model?: RawConfig;
}

/** Jano as shipped in front of the servers of a rig, of which `resident` runs already. */
export async function startJanoOn(
  t: TestContext,
  rig: SwapRig,
  models: readonly string[],
  resident: string | null = null,
  { top = {}, swap = {}, model = {} }: RigConfig = {},
): Promise<RunningJano> {
  if (resident !== null) {
    await rig.run([resident]);
    await untilHealthy(rig.urlOf(resident));
  }
  const raw = {
    ...top,
    models: models.map((name) => ({ name, url: rig.urlOf(name), ...model })),
    swap: { command: [...rig.command], timeout: '30s', poll: '20ms', ...swap },
  };
  const withEnvironment = (config: Config): Config => ({
    ...config,
    swap: { ...config.swap, environment: rig.environment },
  });
  return startJano(t, raw, withEnvironment);
}
