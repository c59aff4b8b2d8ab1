/** What ends: a test, or a script that has started the same things. */
export interface Ending {
  after(end: () => unknown): void;
}

/** The same, of what may also be found not to be possible here. */
export interface Skipping extends Ending {
  skip(reason: string): void;
}
