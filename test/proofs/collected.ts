import type { Recorder, RequestRecord, SwapRecord } from '../../src/core/record.ts';

/** All that was recorded, however much. */
export class Collected implements Recorder {
  readonly requests: RequestRecord[] = [];
  readonly swaps: SwapRecord[] = [];

  requestClosed(record: RequestRecord): void {
    this.requests.push(record);
  }

  swapClosed(record: SwapRecord): void {
    this.swaps.push(record);
  }

  unloadFailed(): void {
    // Nothing is counted of it.
  }

  healthSeen(): void {
    // Nothing is counted of it.
  }
}
