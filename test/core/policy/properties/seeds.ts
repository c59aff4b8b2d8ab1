import { Random } from '../../../bench/sim/random.ts';

/**
 * Runs something with many seeds; what it throws names the seed. The variable SEED asks for one seed
 * only, SEEDS for another number of them.
 */
export function withSeeds(count: number, run: (random: Random) => void): void {
  const only = process.env['SEED'];
  const first = Number(only ?? 1);
  const last = Number(only ?? process.env['SEEDS'] ?? count);
  for (let seed = first; seed <= last; seed += 1) {
    try {
      run(new Random(seed));
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`seed ${seed} (again with SEED=${seed}): ${message}`, { cause });
    }
  }
}
