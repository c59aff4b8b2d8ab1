/** A source of random numbers that gives the same ones for the same seed. */
export interface Random {
  /** From 0 up to, not including, 1. */
  uniform(): number;
  /** Mean 0, standard deviation 1. */
  normal(): number;
}

/** Random numbers from a seed, by mulberry32. */
export function makeRandom(seed: number): Random {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}
