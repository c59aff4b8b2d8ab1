import type { RequestRecord, SwapRecord } from '../../src/core/record.ts';
import { Log } from '../../src/telemetry/log.ts';
import { requestRecord, swapRecord, usageOf } from '../support/records.ts';
import { openSink } from '../support/sink.ts';

const NOON = Date.UTC(2026, 6, 1, 12);

/** The lines that a log writes while `act` runs, to a terminal of so many colours (as bits; 1 = none) or, with null, to a file. */
export function linesOf(act: (log: Log) => void, colourBits: number | null = null): string[] {
  const { stream, text } = openSink();
  const terminal = { isTTY: true, getColorDepth: () => colourBits ?? 1 };
  act(new Log(colourBits === null ? stream : Object.assign(stream, terminal), () => NOON));
  return text().split('\n').slice(0, -1);
}

/** A stream of anna's that waited 15 s for its turn, most of them for a swap, and ended at noon; `more` says what is different. */
export function streamedAtNoon(more: Partial<RequestRecord> = {}): RequestRecord {
  return requestRecord({
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    stream: true,
    arrivedAt: NOON - 20_000,
    dispatchedAt: NOON - 5000,
    firstByteAt: NOON - 4900,
    firstTokenAt: NOON - 4600,
    lastEventAt: NOON - 1500,
    endedAt: NOON,
    swapMs: 12_400,
    usage: usageOf({ inputTokens: 237, outputTokens: 48, outputTokensPerSecond: 52.94 }),
    ...more,
  });
}

/** A swap that took 12.4 s until noon; `more` says what is different. */
export function swappedAtNoon(more: Partial<SwapRecord> = {}): SwapRecord {
  const times = { startedAt: NOON - 12_400, endedAt: NOON, scriptMs: 3100, readyMs: 9300 };
  return swapRecord({ ...times, waited: 4, ...more });
}
