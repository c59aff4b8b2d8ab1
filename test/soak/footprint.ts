import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What this process holds. */
export interface Footprint {
  /** Heap after a collection, and buffers beside it. */
  readonly heldBytes: number;
  readonly fileDescriptors: number;
  /** How many of each kind of thing keep the process alive: sockets, timers, children. */
  readonly resources: ReadonlyMap<string, number>;
}

export function measureFootprint(): Footprint {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('this Node cannot collect its garbage');
  // Twice: what a finalizer lets go in the first goes in the second.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  const resources = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    resources.set(kind, (resources.get(kind) ?? 0) + 1);
  }
  return {
    heldBytes: heapUsed + external,
    fileDescriptors: readdirSync('/proc/self/fd').length,
    resources,
  };
}

/** What there is more of than before, except memory. */
export function findGrowth(before: Footprint, after: Footprint): string[] {
  const grown = [...after.resources]
    .filter(([kind, count]) => count > (before.resources.get(kind) ?? 0))
    .map(([kind, count]) => `${count} of ${kind}, where ${before.resources.get(kind) ?? 0} were`);
  const [more, were] = [after.fileDescriptors, before.fileDescriptors];
  return more > were ? [...grown, `${more} file descriptors, where ${were} were`] : grown;
}
