import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Random } from '../bench/sim/random.ts';

/** Plays a case and throws when it shows a fault; returns what kind of case it was. */
export type PlayCase = (random: Random) => Promise<string>;

/** A case that showed a fault: what was sent stands beside it. */
export class CaseError extends Error {
  readonly bytes: string;

  constructor(cause: unknown, bytes: string) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.bytes = bytes;
  }
}

const FAULTS_SHOWN = 5;
/** Always the same: what fails in CI is due to what was changed. Other seeds are for whoever looks for more. */
const USUAL_SEED = 1;
const SHOWN_BYTES = 4000;

/**
 * Plays one case after another on each lane, with seeds that count up, until the time is over: JANO_FUZZ_SECONDS of it.
 * JANO_SEED begins at that seed; with JANO_FUZZ_SECONDS=0 it is the only one.
 */
export async function playCases(
  t: TestContext,
  usualSeconds: number,
  lanes: readonly PlayCase[],
): Promise<void> {
  const { JANO_SEED, JANO_FUZZ_SECONDS } = process.env;
  const firstSeed = Number(JANO_SEED ?? USUAL_SEED);
  const endAt = performance.now() + Number(JANO_FUZZ_SECONDS ?? usualSeconds) * 1000;
  const tally = new Map<string, number>();
  const faults: string[] = [];
  const underWay = new Set<number>();
  const tellOfCrash = (): void => t.diagnostic(`crashed while playing ${[...underWay].join(', ')}`);
  process.on('uncaughtExceptionMonitor', tellOfCrash);
  t.after(() => process.off('uncaughtExceptionMonitor', tellOfCrash));
  let nextSeed = firstSeed;
  const run = async (play: PlayCase): Promise<void> => {
    do {
      const seed = nextSeed++;
      underWay.add(seed);
      try {
        const kind = await play(new Random(seed));
        tally.set(kind, (tally.get(kind) ?? 0) + 1);
      } catch (error) {
        faults.push(describe(seed, error));
      }
      underWay.delete(seed);
    } while (faults.length < FAULTS_SHOWN && performance.now() < endAt);
  };
  await Promise.all(endAt > performance.now() ? lanes.map(run) : lanes.slice(0, 1).map(run));
  const kinds = [...tally].map(([kind, count]) => `${count} ${kind}`).toSorted();
  t.diagnostic(`seeds ${firstSeed} to ${nextSeed - 1}: ${kinds.join(', ')}`);
  if (faults.length > 0) assert.fail(faults.join('\n\n'));
}

function describe(seed: number, error: unknown): string {
  const bytes = error instanceof CaseError ? error.bytes : '';
  const text = error instanceof Error ? error.message : String(error);
  const shown = JSON.stringify(bytes.slice(0, SHOWN_BYTES));
  return `seed ${seed} (replay: JANO_SEED=${seed} JANO_FUZZ_SECONDS=0): ${text}\nsent: ${shown}`;
}
