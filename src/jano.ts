import type { Server } from 'node:http';
import type { Config } from './config/config.ts';
import { ArrivalOrder } from './core/arrivalOrder.ts';
import { Catalog } from './core/catalog.ts';
import { KnownIds } from './core/knownIds.ts';
import { Ledger } from './core/ledger.ts';
import type { Recorder } from './core/record.ts';
import { Recorders } from './core/recorders.ts';
import { Scheduler } from './core/scheduler.ts';
import { currentOf, type Snapshot, takeSnapshot } from './core/snapshot.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import { createApp } from './http/app.ts';
import { BodyMemory } from './http/body/bodyMemory.ts';
import { OpenExchanges } from './http/openExchanges.ts';
import { createHttpServer } from './http/server.ts';
import { createSwapper } from './swap/createSwapper.ts';
import { createTelemetry, type Telemetry } from './telemetry/telemetry.ts';

/** What a backend is taken to handle at once until it was asked; llama-server's own default. */
const PARALLEL_UNTIL_ASKED = 4;

/** Ids of answers and conversations that are remembered: some 100 bytes each. */
const KNOWN_IDS = 10_000;

/** How long a caller that does not read is waited for at the end. */
const LAST_WORDS_MS = 1000;

/** The whole program, built but not listening. */
export interface Jano {
  readonly server: Server;
  /** Finds what is resident, so that nothing is swapped needlessly; to be awaited before listening. */
  start(): Promise<void>;
  /** How many requests a backend is answering. */
  runningCount(): number;
  /** Rejects what waits, lets what runs end within `limitMs`, then closes everything that is left. */
  stop(limitMs: number): Promise<void>;
  snapshot(): Snapshot;
}

/** What may stand around Jano. */
export interface Surroundings {
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Its own without traces if absent. It ends with Jano. */
  readonly telemetry?: Telemetry;
  /** Is told of everything that finished. */
  readonly log?: Recorder;
  /** Hears of mistakes of Jano's own that were caught. */
  readonly onMistake?: (error: unknown) => void;
}

/** Builds Jano from its config; the one place where the parts meet. */
export function createJano(
  config: Config,
  version: string,
  {
    now = Date.now,
    log,
    onMistake = console.error,
    telemetry = createTelemetry(version, null, onMistake),
  }: Surroundings = {},
): Jano {
  const catalog = new Catalog(config.models);
  const ledger = new Ledger(config.usage.records, now());
  const recorders = [ledger, telemetry.recorder, ...(log === undefined ? [] : [log])];
  const recorder = new Recorders(recorders, onMistake);
  const arrivalOrder = new ArrivalOrder(config.memoryBudget);
  const scheduler = createScheduler(config);
  const swapper = createSwapper(config.swap, catalog, now);
  const dispatcher = new Dispatcher({
    scheduler,
    arrivalOrder,
    catalog,
    swapper,
    now,
    recorder,
    tracing: telemetry,
    limits: config.queue,
    idleSocketMs: config.limits.idleSocketMs,
  });
  const snapshot = (): Snapshot =>
    takeSnapshot({ catalog, scheduler, ledger, arrivalOrder, activity: dispatcher }, now());
  telemetry.observe(snapshot);
  const open = new OpenExchanges();
  const app = createApp({
    catalog,
    dispatcher,
    recorder,
    tracing: telemetry,
    snapshot,
    scrape: () => telemetry.scrape(),
    now,
    version,
    auth: config.auth,
    callerHeader: config.callers.header,
    open,
    bodyLimitBytes: config.limits.bodyBytes,
    memory: new BodyMemory(config.queue.maxWaitingBytes),
    knownIds: new KnownIds(KNOWN_IDS),
    requestMs: config.limits.requestMs,
    defaultModel: config.defaultModel,
    currentModel: () => currentOf([...scheduler.state.models.values()])?.model ?? null,
    isStopping: () => dispatcher.isStopping,
    stuckAfterMs: config.health.stuckAfterMs ?? config.policy.maxTurnMs + config.swap.timeoutMs,
    onMistake,
  });
  const server = createHttpServer(app);
  return {
    server,
    snapshot,
    start: () => dispatcher.start(config.preload),
    runningCount: () => dispatcher.runningCount,
    async stop(limitMs) {
      dispatcher.stopAdmitting();
      open.refuseUploads();
      await dispatcher.untilIdle(limitMs);
      open.breakOff();
      // Who was told so gets to see it.
      await Promise.all([open.untilNone(LAST_WORDS_MS), swapper.close()]);
      await closeServer(server);
      await telemetry.shutdown();
    },
  };
}

function createScheduler(config: Config): Scheduler {
  const models = config.models.map(({ model, memory, pinned, ttlMs, parallel }) => ({
    model,
    memory,
    pinned,
    ttlMs,
    parallel: parallel === 'auto' ? PARALLEL_UNTIL_ASKED : parallel,
  }));
  return new Scheduler(models, config.memoryBudget, config.policy);
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
