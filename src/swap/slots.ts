import type { Backend } from '../core/backend.ts';
import { askBackend } from './answer.ts';
import { runWithin } from './limit.ts';

/** How many requests llama-server says it takes at once (`total_slots` of /props); null when it can't be told in `limitMs`. */
export async function askSlots(
  backend: Backend,
  limitMs: number,
  stop: AbortSignal,
): Promise<number | null> {
  try {
    const { status, body } = await runWithin(limitMs, stop, (limit) =>
      askBackend(backend, '/props', limit),
    );
    return status === 200 ? readSlots(JSON.parse(body)) : null;
  } catch {
    return null;
  }
}

function readSlots(props: unknown): number | null {
  if (typeof props !== 'object' || props === null || !('total_slots' in props)) return null;
  const slots = props.total_slots;
  return typeof slots === 'number' && Number.isSafeInteger(slots) && slots > 0 ? slots : null;
}
