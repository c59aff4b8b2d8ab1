/** Node fires a timer at once when it is set for longer than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The one timer of the dispatcher. It does not keep the process alive. */
export class Alarm {
  readonly #ring: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** Sets it anew, for `ms` from now; it may ring early when that is very long. Null = it does not ring. */
  set(ms: number | null): void {
    clearTimeout(this.#timer);
    if (ms === null) return;
    this.#timer = setTimeout(this.#ring, Math.min(LONGEST_TIMER_MS, Math.max(1, ms))).unref();
  }
}
