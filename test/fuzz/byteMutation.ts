import type { Random } from '../bench/sim/random.ts';

/** Changes some bytes (as latin1) anywhere: flips, cuts, doubles, puts in one of `tokens`. */
export function mutateBytes(random: Random, text: string, tokens: readonly string[]): string {
  const at = random.integer(0, text.length);
  const end = Math.min(text.length, at + random.integer(1, 12));
  const before = text.slice(0, at);
  switch (random.integer(0, 4)) {
    case 0:
      return before + String.fromCharCode(random.integer(0, 255)) + text.slice(at + 1);
    case 1:
      return before + text.slice(end);
    case 2:
      return before + text.slice(at, end) + text.slice(at);
    case 3:
      return before + random.pick(tokens) + text.slice(at);
    default:
      return before + random.pick(tokens) + text.slice(end);
  }
}

/** A list in another order. */
export function shuffle<T>(random: Random, items: readonly T[]): T[] {
  const rest = [...items];
  const shuffled: T[] = [];
  while (rest.length > 0) shuffled.push(...rest.splice(random.integer(0, rest.length - 1), 1));
  return shuffled;
}

/** The text in pieces, cut at random places; mostly a few, sometimes single bytes. */
export function cutUp(random: Random, text: string): string[] {
  const isTiny = text.length < 600 && random.chance(0.1);
  const count = isTiny ? text.length : random.integer(0, 4);
  const places = Array.from({ length: count }, () => random.integer(0, text.length));
  const sorted = [0, ...places.toSorted((a, b) => a - b), text.length];
  return sorted
    .slice(1)
    .map((place, index) => text.slice(sorted[index], place))
    .filter((piece) => piece !== '');
}
