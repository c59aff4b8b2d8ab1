import { z } from 'zod';
import { until } from '../rig/polling.ts';
import type { Reachable } from './asking.ts';

const byModel = <T extends z.ZodType>(value: T): z.ZodRecord<z.ZodString, T> =>
  z.record(z.string(), value);

const statusView = z.object({
  uptimeSeconds: z.number(),
  currentModel: z.string().nullable(),
  currentModelLoadedAt: z.iso.datetime().nullable(),
  queueDepth: z.number(),
  queueByModel: byModel(z.number()),
  inFlight: z.number(),
  inFlightByModel: byModel(z.number()),
  oldestWaitingMs: z.number(),
  lastSwapDurationMs: z.number().nullable(),
  recentGenTokS: z.number().nullable(),
  requestsServedTotal: z.number(),
  errorsLast15m: z.number(),
  lastError: z.object({ model: z.string().nullable(), message: z.string() }).nullable(),
  backendHealth: byModel(z.enum(['up', 'down', 'unknown'])),
  loadedModels: z.array(z.string()),
  swap: z
    .object({
      id: z.number(),
      startedAt: z.iso.datetime(),
      from: z.array(z.string()),
      to: z.string(),
      cause: z.object({
        request_id: z.number().nullable(),
        caller: z.string().nullable(),
        why: z.string(),
      }),
      phase: z.enum(['script', 'ready']),
      elapsedMs: z.number(),
      expectedMs: z.number().nullable(),
    })
    .nullable(),
  waiting: z.array(
    z.object({
      id: z.number(),
      model: z.string(),
      caller: z.string(),
      waitedMs: z.number(),
      position: z.number(),
      expectedMs: z.number().nullable(),
      why: z.string(),
    }),
  ),
  running: z.array(
    z.object({
      id: z.number(),
      model: z.string(),
      caller: z.string(),
      runningMs: z.number(),
      firstByteMs: z.number().nullable(),
      bytes: z.number(),
    }),
  ),
  swapsTotal: z.number(),
  swapFailuresTotal: z.number(),
  swapsAvoided: z.number(),
});

/** What GET /status says, as far as the tests look at it. */
export type StatusView = z.infer<typeof statusView>;

/** Asks for it, and fails the test when a name or a type is not as published. */
export async function readStatus({ url }: Reachable): Promise<StatusView> {
  // Where its time runs fast, a kept connection may be closed just as it is used again.
  const response = await fetch(`${url}/status`, { headers: { Connection: 'close' } });
  return statusView.parse(await response.json());
}

/** Waits until GET /status says so, and gives what it said. */
export async function untilStatus(
  jano: Reachable,
  what: string,
  holds: (status: StatusView) => boolean,
): Promise<StatusView> {
  let status = await readStatus(jano);
  await until(what, async () => holds((status = await readStatus(jano))));
  return status;
}

/** Waits until so many requests wait for models that they cannot have yet. */
export function untilWaiting(jano: Reachable, count: number): Promise<StatusView> {
  return untilStatus(jano, `${count} wait`, ({ queueDepth }) => queueDepth === count);
}
