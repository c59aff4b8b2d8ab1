import type { Snapshot } from '../core/snapshot.ts';
import type { Metric } from './metrics.ts';

/** Stands for all models that are not configured, and for all callers but the first. */
export const OTHER = '_other';

/** Only names of closed sets: each set of values is a series for good. */
export type Labels = Readonly<Record<string, string>>;

/** A metric that is read from the snapshot at each scrape. */
export interface Reading {
  readonly metric: Metric;
  /** Tells each of its series, every time: the SDK would repeat the last value of one that is left out. */
  readonly tell: (now: Snapshot, value: Teller) => void;
}

export type Teller = (value: number, labels?: Labels) => void;
