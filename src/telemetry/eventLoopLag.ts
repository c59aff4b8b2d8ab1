import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Between two looks; Node counts it into the delay. Fewer than Node's own 100 a second, for an idle machine's sake. */
const RESOLUTION_MS = 20;

/** How late the event loop comes to its timers. Keeps no process alive. */
export class EventLoopLag {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #seconds = 0;

  constructor() {
    this.#delay.enable();
  }

  /** What 99 of 100 looks since the last call were below; as before when there was none since then. */
  takeSeconds(): number {
    if (this.#delay.count > 0) {
      this.#seconds = Math.max(0, this.#delay.percentile(99) / 1e9 - RESOLUTION_MS / 1000);
      this.#delay.reset();
    }
    return this.#seconds;
  }

  stop(): void {
    this.#delay.disable();
  }
}
