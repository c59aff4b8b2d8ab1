import type { Range } from '../rig/prometheus.ts';
import type { Palette } from './colors.ts';
import type { Panel } from './dashboard.ts';
import type { Size } from './plane.ts';
import type { Series } from './series.ts';

/** All that a panel is drawn from. */
export interface Drawing {
  readonly panel: Panel;
  /** At least one. */
  readonly series: readonly Series[];
  readonly range: Range;
  readonly size: Size;
  readonly palette: Palette;
}

/** The last value that is a number, else NaN. */
export function lastOf(values: readonly number[]): number {
  return values.findLast((value) => !Number.isNaN(value)) ?? NaN;
}
