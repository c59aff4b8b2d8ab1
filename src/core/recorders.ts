import type { Recorder, RequestRecord, SwapRecord } from './record.ts';

/** Hands everything that finished to each of several recorders; one that throws takes nothing from the others. */
export class Recorders implements Recorder {
  readonly #recorders: readonly Recorder[];
  readonly #onError: (error: unknown) => void;

  /** `onError` hears of what a recorder throws, which is a bug of ours and no reason to end a request. */
  constructor(recorders: readonly Recorder[], onError: (error: unknown) => void) {
    this.#recorders = recorders;
    this.#onError = onError;
  }

  requestClosed(record: RequestRecord): void {
    this.#each((recorder) => recorder.requestClosed(record));
  }

  swapClosed(record: SwapRecord): void {
    this.#each((recorder) => recorder.swapClosed(record));
  }

  unloadFailed(model: string, message: string, at: number): void {
    this.#each((recorder) => recorder.unloadFailed(model, message, at));
  }

  healthSeen(model: string, isUp: boolean): void {
    this.#each((recorder) => recorder.healthSeen(model, isUp));
  }

  #each(tell: (recorder: Recorder) => void): void {
    for (const recorder of this.#recorders) {
      try {
        tell(recorder);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
