import type { Config } from '../../src/config/config.ts';
import { defaultPolicy, type PolicySettings } from '../../src/core/policy/settings.ts';
import type { Ending } from '../support/ending.ts';
import {
  type FakeMachine,
  type MachineOptions,
  type ModelAnswer,
  startMachine,
} from '../support/machine.ts';
import type { Surroundings } from '../../src/jano.ts';
import { type RunningJano, startJano } from '../support/startJano.ts';
import { answerAtOnce } from './heldAnswers.ts';

/** A machine with Jano in front of it. */
export interface MachineRig {
  readonly machine: FakeMachine;
  readonly jano: RunningJano;
}

/** What a test may want otherwise than usual. */
export interface MachineRigOptions extends MachineOptions {
  readonly answer?: ModelAnswer;
  /** Words of jano.yaml for single models. */
  readonly models?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** More words of jano.yaml. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly swap?: Readonly<Record<string, unknown>>;
  readonly policy?: Partial<PolicySettings>;
  readonly surroundings?: Surroundings;
}

/** Nobody is made to wait for the rest of a burst; everything else is as it comes. */
const PATIENT: PolicySettings = { ...defaultPolicy, settleMaxMs: 0 };

/** Starts both; the models of the machine are those of the config. */
export async function openMachineRig(
  t: Ending,
  names: readonly string[],
  options: MachineRigOptions = {},
): Promise<MachineRig> {
  const { answer = answerAtOnce, swap = {}, policy = {} } = options;
  const machine = await startMachine(t, names, answer, options);
  const models = machine.models.map((model) => ({
    ...model,
    parallel: 4,
    ...options.models?.[model.name],
  }));
  const withPolicy = (config: Config): Config => ({
    ...config,
    policy: { ...PATIENT, queueTimeoutMs: config.policy.queueTimeoutMs, ...policy },
  });
  const raw = {
    ...options.config,
    models,
    swap: { command: machine.command, timeout: '20s', poll: '10ms', ...swap },
  };
  return { machine, jano: await startJano(t, raw, withPolicy, options.surroundings) };
}
