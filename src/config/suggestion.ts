/** A question to append to a message, or nothing when no name is near. */
export function suggest(name: string, names: readonly string[]): string {
  const closest = findClosest(name, names);
  return closest === undefined ? '' : `; did you mean "${closest}"?`;
}

function findClosest(name: string, names: readonly string[]): string | undefined {
  const limit = name.length <= 3 ? 1 : Math.max(2, Math.floor(name.length / 3));
  const ranked = names
    .map((candidate) => ({ candidate, distance: countEdits(name, candidate) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

/** Letters to add, drop or change until both are equal; upper and lower case count as equal. */
function countEdits(left: string, right: string): number {
  const a = left.toLowerCase();
  const b = right.toLowerCase();
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, at(row, j) + 1, at(next, j - 1) + 1));
    }
    row = next;
  }
  return at(row, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
