import type { RequestRecord, SwapRecord } from '../core/record.ts';

/** How severe it is, for those who filter. */
export type Level = 'info' | 'warn' | 'error';

/** One way to put what happened into a line. Times are epoch milliseconds. */
export interface LogLines {
  request(record: RequestRecord): string;
  swap(record: SwapRecord): string;
  /** Anything else, in words. */
  note(level: Level, event: string, message: string, at: number): string;
}
