import { setTimeout as pause } from 'node:timers/promises';
import type { Backend } from '../core/backend.ts';
import { askBackend } from './answer.ts';
import { runWithin } from './limit.ts';

/** How many requests llama-server says it takes at once (`total_slots` of /props); null when it can't be told in `limitMs`. */
export async function askSlots(
  backend: Backend,
  limitMs: number,
  stop: AbortSignal,
): Promise<number | null> {
  return readTotal(await askJson(backend, '/props', limitMs, stop));
}

/** How many of its slots llama-server says are at work (/slots); null when it can't be told in `limitMs`. */
async function askBusySlots(
  backend: Backend,
  limitMs: number,
  stop: AbortSignal,
): Promise<number | null> {
  return countBusy(await askJson(backend, '/slots', limitMs, stop));
}

/** Asks that every `pollMs` and tells the answer, until `stop` fires. Never rejects. */
export async function watchSlots(
  backend: Backend,
  { pollMs, limitMs }: { readonly pollMs: number; readonly limitMs: number },
  stop: AbortSignal,
  tell: (busy: number | null) => void,
): Promise<void> {
  while (!stop.aborted) {
    const busy = await askBusySlots(backend, limitMs, stop);
    // One cut off tells nothing.
    if (!stop.aborted) tell(busy);
    await pause(pollMs, undefined, { signal: stop }).catch(ignore);
  }
}

/** What a path of the backend answers; undefined when that is no JSON or no success. */
async function askJson(
  backend: Backend,
  path: string,
  limitMs: number,
  stop: AbortSignal,
): Promise<unknown> {
  try {
    const { status, body } = await runWithin(limitMs, stop, (limit) =>
      askBackend(backend, path, limit),
    );
    return status === 200 ? JSON.parse(body) : undefined;
  } catch {
    return undefined;
  }
}

function readTotal(props: unknown): number | null {
  if (typeof props !== 'object' || props === null || !('total_slots' in props)) return null;
  const slots = props.total_slots;
  return typeof slots === 'number' && Number.isSafeInteger(slots) && slots > 0 ? slots : null;
}

function countBusy(slots: unknown): number | null {
  if (!Array.isArray(slots)) return null;
  let busy = 0;
  for (const slot of slots as readonly unknown[]) {
    if (typeof slot !== 'object' || slot === null || !('is_processing' in slot)) return null;
    if (typeof slot.is_processing !== 'boolean') return null;
    if (slot.is_processing) busy += 1;
  }
  return busy;
}

function ignore(): void {}
