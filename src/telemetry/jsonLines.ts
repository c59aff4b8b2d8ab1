import { usageRecord, swapEntry } from '../core/publicRecord.ts';
import type { Outcome, RequestRecord, SwapRecord } from '../core/record.ts';
import type { Level, LogLines } from './logLines.ts';
import { printable } from './printable.ts';

const LEVELS: Readonly<Record<Outcome, Level>> = {
  served: 'info',
  abandoned: 'info',
  refused: 'warn',
  rejected: 'warn',
  failed: 'error',
  cut: 'error',
};

/** Lines of JSON, under the names of /usage and /swaps; a swap with its trace, too. */
export class JsonLines implements LogLines {
  request(record: RequestRecord): string {
    return line(record.endedAt, LEVELS[record.outcome], 'request', usageRecord(record));
  }

  swap(record: SwapRecord): string {
    const level = record.outcome === 'ok' ? 'info' : 'error';
    return line(record.endedAt, level, 'swap', { ...swapEntry(record), trace_id: record.traceId });
  }

  note(level: Level, event: string, message: string, at: number): string {
    return line(at, level, event, { message });
  }
}

function line(at: number, level: Level, event: string, more: object): string {
  return printable(JSON.stringify({ time: new Date(at).toISOString(), level, event, ...more }));
}
