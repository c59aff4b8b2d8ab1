import { msBetween } from './duration.ts';
import { quoted, spoken } from './policy/words.ts';
import type { Running, Snapshot } from './snapshot.ts';

/** More are only counted. */
const MOST_NAMED = 3;

/**
 * Why nothing goes on, in a sentence that names no caller, for /health is open to all; null while something does. Nothing does when somebody has waited for
 * longer than `stuckAfterMs`, and for as long no running request has moved a byte and no swap has ended.
 */
export function stucknessOf(snapshot: Snapshot, stuckAfterMs: number): string | null {
  const { waiting, takenAt } = snapshot;
  const [oldest] = waiting
    .map(({ request }) => request)
    .toSorted((a, b) => a.queuedAt - b.queuedAt);
  if (oldest === undefined) return null;
  const isRecent = (at: number): boolean => msBetween(at, takenAt) <= stuckAfterMs;
  if (isRecent(oldest.queuedAt) || movesOf(snapshot).some(isRecent)) return null;
  const waits = `a request for ${quoted(oldest.model)} has waited for ${spoken(takenAt - oldest.queuedAt)}`;
  return `${waits}, and for ${spoken(stuckAfterMs)} nothing has moved: ${standstillOf(snapshot)}`;
}

/** When something last moved, by each sign of it; a running request also does as it begins and as it ends. */
function movesOf({ running, ledger }: Snapshot): number[] {
  const { lastRunEndedAt } = ledger;
  return [
    ...running.map(({ movedAt }) => movedAt),
    ...(lastRunEndedAt === null ? [] : [lastRunEndedAt]),
    ...ledger.swaps.newest(1).map(({ endedAt }) => endedAt),
  ];
}

/** What is there that should move. */
function standstillOf({ running, swap, takenAt }: Snapshot): string {
  const silent = running.toSorted((a, b) => a.movedAt - b.movedAt);
  const named = silent.slice(0, MOST_NAMED).map((request) => describeSilent(request, takenAt));
  const others = silent.length - named.length;
  const parts = [
    ...(swap === null
      ? []
      : [`the swap to ${quoted(swap.to)} has gone on for ${spoken(takenAt - swap.startedAt)}`]),
    ...named,
    ...(others === 0 ? [] : [`and ${others} more`]),
  ];
  return parts.length === 0 ? 'no request runs, and no swap' : parts.join(', ');
}

function describeSilent({ model, movedAt, firstByteAt }: Running, now: number): string {
  const since = `for ${spoken(now - movedAt)}`;
  return firstByteAt === null
    ? `${quoted(model)} has not answered a request ${since}`
    : `an answer of ${quoted(model)} has stood still ${since}`;
}
