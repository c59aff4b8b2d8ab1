import { ArrivalOrder } from '../../src/core/arrivalOrder.ts';
import { Catalog } from '../../src/core/catalog.ts';
import { Ledger } from '../../src/core/ledger.ts';
import { defaultPolicy } from '../../src/core/policy/settings.ts';
import { Scheduler } from '../../src/core/scheduler.ts';
import { NO_TRACING } from '../../src/core/tracing.ts';
import { Dispatcher, type DispatcherParts } from '../../src/dispatch/dispatcher.ts';
import type { Turn } from '../../src/dispatch/turn.ts';
import type { Swapper } from '../../src/swap/swapper.ts';
import { backend } from './backend.ts';

/** The models; one fits at a time, and each takes one request at once. */
export type ModelName = 'a' | 'b';

const BACKENDS = {
  a: backend('a', 'http://127.0.0.1:1'),
  b: backend('b', 'http://127.0.0.1:1'),
};

/** How a request ends that was answered. */
export const ENDING = { reply: 'plain', hasServed: true, mayGoOn: false } as const;

/** The model "a" is resident. */
export const idleSwapper: Swapper = {
  swap: () => Promise.reject(new Error('nothing has to be swapped')),
  unload: () => Promise.resolve(null),
  findResident: () => Promise.resolve(new Set(['a'])),
  isHealthy: () => Promise.resolve(true),
  askParallel: () => Promise.resolve(null),
  watchSlots: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** A dispatcher that has been started, in front of a machine with two models; its clock stands still. */
export async function openDispatcher(parts: Partial<DispatcherParts> = {}): Promise<Dispatcher> {
  const models = ['a', 'b'].map((model) => ({
    model,
    memory: 1,
    pinned: false,
    ttlMs: 0,
    parallel: 1,
  }));
  const dispatcher = new Dispatcher({
    scheduler: new Scheduler(models, 1, { ...defaultPolicy, settleMinMs: 0, settleMaxMs: 0 }),
    arrivalOrder: new ArrivalOrder(1),
    catalog: new Catalog(Object.values(BACKENDS)),
    swapper: idleSwapper,
    now: () => 0,
    recorder: new Ledger(10, 0),
    tracing: NO_TRACING,
    limits: { maxWaiting: 10, maxWaitingBytes: 0 },
    idleSocketMs: 60_000,
    ...parts,
  });
  await dispatcher.start(null);
  return dispatcher;
}

/** A request that asks for its turn. */
export function turnOf(id: number, model: ModelName = 'a', more: Partial<Turn> = {}): Turn {
  return {
    id,
    backend: BACKENDS[model],
    caller: 'me',
    bodyBytes: 0,
    causesSwap: true,
    dispatchedAt: null,
    swapMs: 0,
    swapIds: [],
    ...more,
  };
}
