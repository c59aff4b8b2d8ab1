import type { RequestHandler } from 'express';
import { msBetween, msIfKnown } from '../../core/duration.ts';
import type { ModelTotals } from '../../core/modelTotals.ts';
import { causeEntry } from '../../core/publicRecord.ts';
import type { ModelReading, Snapshot } from '../../core/snapshot.ts';
import { isoOf, oneDecimal } from './format.ts';

const MOST_LISTED = 100;
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
  const { lastSwap } = ledger;
  return {
    ok: true,
    currentModel: current?.model ?? null,
    currentModelLoadedAt: isoOf(current?.loadedAt ?? null),
    queueDepth: total(models.map(({ waiting }) => waiting)),
    queueByModel: byModel(models, ({ waiting }) => waiting),
    inFlight: total(models.map(({ inFlight }) => inFlight)),
    oldestWaitingMs: msIfKnown(now.oldestQueuedAt, takenAt) ?? 0,
    lastSwapDurationMs: lastSwap && msBetween(lastSwap.startedAt, lastSwap.endedAt),
    swapsLast15m: ledger.swapsLastHour.total(takenAt, takenAt - QUARTER_MS),
    swapsLastHour: ledger.swapsLastHour.total(takenAt),
    recentGenTokS: oneDecimal(ledger.outputRates.mean),
    recentPromptTokS: oneDecimal(ledger.inputRates.mean),
    tokSByModel: byModel(models, ({ totals }) => oneDecimal(totals.outputRates.mean)),
    uptimeSeconds: Math.floor(msBetween(now.startedAt, takenAt) / 1000),
    requestsServedTotal: sumOf(ledger, ({ requests }) => requests.served),
    requestsByModel: byModel(models, ({ totals }) => totals.requests.served),
    tokensGeneratedTotal: sumOf(ledger, ({ tokens }) => tokens.output),
    tokensByModel: byModel(models, ({ totals }) => totals.tokens.output),
    promptTokensTotal: sumOf(ledger, ({ tokens }) => tokens.input),
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
    throughputLastMinuteTokS: oneDecimal(tokensLastMinute / MINUTE_S),
    swap: swap && {
      id: swap.id,
      from: swap.from,
      to: swap.to,
      cause: causeEntry(swap.cause),
      phase: swap.phase,
      startedAt: isoOf(swap.startedAt),
      elapsedMs: msBetween(swap.startedAt, takenAt),
      expectedMs: swap.expectedMs,
    },
    waiting: waitingBody(now),
    running: now.running.slice(0, MOST_LISTED).map((running) => ({
      id: running.id,
      model: running.model,
      caller: running.caller,
      runningMs: msBetween(running.dispatchedAt, takenAt),
      firstByteMs: msIfKnown(running.dispatchedAt, running.firstByteAt),
      bytes: running.bytes,
    })),
    swapsTotal: ledger.swapsTotal,
    swapFailuresTotal: ledger.swapFailuresTotal,
    swapsAvoided: now.swapsArrivalOrder - ledger.swapsTotal,
    swapTimeShareLastHour: swapTimeShare(now),
    unmeteredTotal: sumOf(ledger, ({ unmetered }) => total(Object.values(unmetered))),
  };
}

function waitingBody({ waiting, takenAt }: Snapshot): object[] {
  return waiting.slice(0, MOST_LISTED).map(({ request, expectedMs, why }, index) => ({
    id: request.id,
    model: request.model,
    caller: request.caller,
    waitedMs: msBetween(request.queuedAt, takenAt),
    position: index + 1,
    expectedMs,
    why,
  }));
}

/** Of the last hour, or of the time since start if that is shorter. */
function swapTimeShare({ ledger, takenAt, startedAt, swap }: Snapshot): number {
  const lastedMs = Math.min(HOUR_MS, Math.max(1, msBetween(startedAt, takenAt)));
  const underWayMs = msIfKnown(swap?.startedAt ?? null, takenAt) ?? 0;
  const share = (ledger.swapMsLastHour.total(takenAt) + underWayMs) / lastedMs;
  return Math.round(Math.min(1, share) * 1000) / 1000;
}

/** Over all requests, also those that no model could be told of. */
function sumOf({ totals }: Snapshot['ledger'], of: (totals: ModelTotals) => number): number {
  return total([...totals.values()].map(of));
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function byModel<T>(
  models: readonly ModelReading[],
  of: (model: ModelReading) => T,
): Record<string, T> {
  return Object.fromEntries(models.map((model) => [model.model, of(model)]));
}
