import type { Backend } from '../core/backend.ts';
import type { Loader, LoaderParts } from './loader.ts';

/** What is there before the first request. */
export interface Surroundings {
  /** Not the pinned ones: they always are. */
  readonly resident: readonly Backend[];
  /** They look resident, but cannot all be: there is no memory for so many. */
  readonly doubtful: readonly Backend[];
}

/** Finds what is resident, and asks all that serve how they are and how much they take at once. */
export async function lookAround(
  { catalog, swapper, recorder }: LoaderParts,
  loader: Loader,
  memoryBudget: number,
): Promise<Surroundings> {
  const pinned = catalog.backends.filter((backend) => backend.pinned);
  const [found] = await Promise.all([
    swapper.findResident(catalog.backends),
    ...pinned.map((backend) => loader.look(backend)),
  ]);
  const seen = catalog.backends.filter((backend) => found.has(backend.model));
  for (const { model } of seen) recorder.healthSeen(model, true);
  const memory = seen.reduce((sum, backend) => sum + backend.memory, 0);
  if (memory > memoryBudget) return { resident: [], doubtful: seen };
  await Promise.all(seen.map((backend) => loader.askParallel(backend)));
  return { resident: seen, doubtful: [] };
}
