import { styleText } from 'node:util';

const SLACK = 1e-9;

/** Counts the targets, and those that were missed. */
export class Targets {
  #checked = 0;
  #missed = 0;

  get checked(): number {
    return this.#checked;
  }

  get missed(): number {
    return this.#missed;
  }

  /** The value beside the most it may be, as a cell of a table. */
  check(value: number, most: number, digits: number): string {
    this.#checked += 1;
    const sides = [value, most].map((side) => side.toFixed(digits));
    if (value <= most + SLACK) return sides.join(' ≤ ');
    this.#missed += 1;
    return styleText('red', `MISSED ${sides.join(' > ')}`);
  }
}
