import type { RequestHandler } from 'express';
import type { ModelTotals } from '../../core/ledger.ts';
import type { ModelReading, Snapshot } from '../../core/snapshot.ts';
import { isoOf, mean } from './format.ts';

const MOST_LISTED = 100;
const RATES_AVERAGED = 30;
const MINUTE_S = 60;
const QUARTER_MS = 15 * 60_000;
const HOUR_MS = 60 * 60_000;

/** GET /status: the whole view, under its published names. */
export function status(read: () => Snapshot): RequestHandler {
  return (_req, res) => void res.json(statusBody(read()));
}

function statusBody(now: Snapshot): object {
  return { ...published(now), ...beyond(now) };
}

/** The names that the first program published; they stay. */
function published(now: Snapshot): object {
  const { ledger, models, takenAt, current } = now;
  return {
    ok: true,
    currentModel: current?.model ?? null,
    currentModelLoadedAt: isoOf(current?.loadedAt ?? null),
    queueDepth: sum(models, ({ waiting }) => waiting),
    queueByModel: byModel(models, ({ waiting }) => waiting),
    inFlight: sum(models, ({ inFlight }) => inFlight),
    oldestWaitingMs: now.oldestQueuedAt === null ? 0 : takenAt - now.oldestQueuedAt,
    lastSwapDurationMs:
      ledger.lastSwap === null ? null : ledger.lastSwap.endedAt - ledger.lastSwap.startedAt,
    swapsLast15m: ledger.swapsLastHour.total(takenAt, takenAt - QUARTER_MS),
    swapsLastHour: ledger.swapsLastHour.total(takenAt),
    recentGenTokS: mean(ledger.outputRates.newest(RATES_AVERAGED)),
    recentPromptTokS: mean(ledger.inputRates.newest(RATES_AVERAGED)),
    tokSByModel: byTotals(
      models,
      (totals) => mean(totals.outputRates.newest(RATES_AVERAGED)),
      null,
    ),
    uptimeSeconds: Math.floor((takenAt - now.startedAt) / 1000),
    requestsServedTotal: sum(models, ({ totals }) => totals?.served ?? 0),
    requestsByModel: byTotals(models, ({ served }) => served, 0),
    tokensGeneratedTotal: sum(models, ({ totals }) => totals?.outputTokens ?? 0),
    tokensByModel: byTotals(models, ({ outputTokens }) => outputTokens, 0),
    promptTokensTotal: sum(models, ({ totals }) => totals?.inputTokens ?? 0),
    requestsPerMinute: ledger.finishedLastMinute.total(takenAt),
    errorsLast15m: ledger.errorsLastQuarter.total(takenAt),
    lastError: ledger.lastError && {
      ts: isoOf(ledger.lastError.at),
      model: ledger.lastError.model,
      message: ledger.lastError.message,
    },
    backendHealth: byModel(models, ({ health }) => health),
  };
}

function beyond(now: Snapshot): object {
  const { ledger, models, takenAt, swap } = now;
  const tokensLastMinute = ledger.outputTokensLastMinute.total(takenAt);
  return {
    loadedModels: models
      .filter(({ presence }) => presence === 'resident')
      .map(({ model }) => model),
    inFlightByModel: byModel(models, ({ inFlight }) => inFlight),
    tokensLastMinute,
    throughputLastMinuteTokS: Math.round((tokensLastMinute / MINUTE_S) * 10) / 10,
    swap: swap && {
      id: swap.id,
      from: swap.from,
      to: swap.to,
      cause: causeBody(swap.cause),
      phase: swap.phase,
      startedAt: isoOf(swap.startedAt),
      elapsedMs: takenAt - swap.startedAt,
      expectedMs: swap.expectedMs,
    },
    waiting: waitingBody(now),
    running: now.running.slice(0, MOST_LISTED).map((running) => ({
      id: running.id,
      model: running.model,
      caller: running.caller,
      runningMs: takenAt - running.dispatchedAt,
      firstByteMs: running.firstByteAt === null ? null : running.firstByteAt - running.dispatchedAt,
      bytes: running.bytes,
    })),
    swapsTotal: ledger.swapsTotal,
    swapFailuresTotal: ledger.swapFailuresTotal,
    swapsAvoided: now.swapsArrivalOrder - ledger.swapsTotal,
    swapTimeShareLastHour: swapTimeShare(now),
  };
}

function waitingBody({ waiting, takenAt }: Snapshot): object[] {
  return waiting.slice(0, MOST_LISTED).map(({ request, expectedMs, why }, index) => ({
    id: request.id,
    model: request.model,
    caller: request.caller,
    waitedMs: takenAt - request.queuedAt,
    position: index + 1,
    expectedMs,
    why,
  }));
}

/** Of the last hour, or of the time since start if that is shorter. */
function swapTimeShare({ ledger, takenAt, startedAt, swap }: Snapshot): number {
  const lastedMs = Math.min(HOUR_MS, Math.max(1, takenAt - startedAt));
  const underWayMs = swap === null ? 0 : takenAt - swap.startedAt;
  const share = (ledger.swapMsLastHour.total(takenAt) + underWayMs) / lastedMs;
  return Math.round(Math.min(1, share) * 1000) / 1000;
}

/** The cause of a swap in public names. */
function causeBody(cause: {
  requestId: number | null;
  caller: string | null;
  why: string;
}): object {
  return { request_id: cause.requestId, caller: cause.caller, why: cause.why };
}

function sum(models: readonly ModelReading[], of: (model: ModelReading) => number): number {
  return models.reduce((total, model) => total + of(model), 0);
}

function byModel<T>(
  models: readonly ModelReading[],
  of: (model: ModelReading) => T,
): Record<string, T> {
  return Object.fromEntries(models.map((model) => [model.model, of(model)]));
}

function byTotals<T>(
  models: readonly ModelReading[],
  of: (totals: ModelTotals) => T,
  without: T,
): Record<string, T> {
  return byModel(models, ({ totals }) => (totals === null ? without : of(totals)));
}
