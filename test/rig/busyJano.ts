import { Random } from '../bench/sim/random.ts';
import { defaultPolicy, type PolicySettings } from '../../src/core/policy/settings.ts';
import { openMachineRig } from '../machine/machineRig.ts';
import type { Skipping } from '../support/ending.ts';
import type { RunningJano } from '../support/startJano.ts';
import { answerBusily } from './busyAnswers.ts';
import { type Callers, startCallers } from './busyCallers.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';

/** A real Jano under traffic of every kind, which goes on until it is stopped, and a real Prometheus that scrapes it. */
export interface BusyJano extends Callers {
  readonly jano: RunningJano;
  readonly prometheus: Prometheus;
}

export interface BusyOptions {
  /** The last of them is pinned if there are several. */
  readonly models?: readonly string[];
  /** All times are those of life, divided by this: swaps, answers, callers' pauses, the turns of the policy. */
  readonly speed?: number;
  /** Before that division. */
  readonly swapMs?: readonly [number, number];
  readonly answerMs?: readonly [number, number];
  /** A length of time in Prometheus' spelling. */
  readonly scrapeInterval?: string;
  readonly seed?: number;
}

export const ONE_MODEL = ['qwen-chat'] as const;

export const EIGHT_MODELS = [
  'deepseek-r1',
  'gpt-oss',
  'glm-air',
  'gemma',
  'mistral',
  'qwen-coder',
  'qwen-chat',
  'nomic-embed',
] as const;

/** Of several models the swaps of the first fail now and then. */
const FAILURE_SHARE = 0.5;

/** Starts all of it; it ends with the test. Null where there is no Prometheus: the test is then skipped and has to return. */
export async function startBusyJano(
  t: Skipping,
  {
    models = EIGHT_MODELS,
    speed = 20,
    swapMs = [2000, 4000],
    answerMs = [1000, 5000],
    scrapeInterval = '200ms',
    seed = 1,
  }: BusyOptions = {},
): Promise<BusyJano | null> {
  const random = new Random(seed);
  const [flaky = '', ...others] = models;
  const pinned = others.at(-1);
  let callers: Callers | null = null;
  // Before all that they ask ends: it was set up first.
  t.after(() => callers?.stop());
  const rig = await openMachineRig(t, models, {
    resident: pinned === undefined ? [] : [pinned],
    answer: answerBusily(models, random, { speed, answerMs }),
    script: `${writeLoading(swapMs, speed)}
${pinned === undefined ? '' : writeFailing(flaky)}`,
    policy: quicken(defaultPolicy, speed),
    models: pinned === undefined ? {} : { [pinned]: { pinned: true } },
  });
  const prometheus = await startPrometheus(t, rig.jano.url, { scrapeInterval });
  if (prometheus === null) return null;
  callers = startCallers({
    ...rig,
    models: models.filter((model) => model !== pinned),
    embedder: pinned ?? flaky,
    random,
    speed,
  });
  return { jano: rig.jano, prometheus, stop: callers.stop };
}

/** Shell text: takes as long as a model takes to be loaded, and leaves a number below 256 in $draw. */
function writeLoading([from, to]: readonly [number, number], speed: number): string {
  const [least, spread] = [from / speed, (to - from) / speed].map(Math.round);
  return `draw=$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')
ms=$((${least} + draw * ${spread} / 256))
sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"`;
}

/** Shell text: now and then this model can't be loaded. */
function writeFailing(model: string): string {
  return `if [ "$1" = '${model}' ] && [ "$draw" -lt ${Math.round(FAILURE_SHARE * 256)} ]; then
  echo 'cudaMalloc failed: out of memory' >&2
  exit 1
fi`;
}

/** The policy for a life that is so many times as quick. */
function quicken(policy: PolicySettings, speed: number): Partial<PolicySettings> {
  const times = Object.entries(policy).filter(([name]) => name.endsWith('Ms'));
  return Object.fromEntries(times.map(([name, ms]) => [name, Number(ms) / speed]));
}
