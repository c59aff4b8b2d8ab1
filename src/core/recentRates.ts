import { Ring } from './ring.ts';

const RATES_KEPT = 30;
/** No machine is; what claims to be would spoil every mean that it is in. */
const FASTEST = 1e12;

/** The newest speeds that backends reported, tokens per second. */
export class RecentRates {
  readonly #rates = new Ring<number>(RATES_KEPT);

  /** Takes one; what is unknown, or no speed, changes nothing. */
  add(tokensPerSecond: number | null): void {
    const isSpeed = tokensPerSecond !== null && tokensPerSecond > 0 && tokensPerSecond < FASTEST;
    if (isSpeed) this.#rates.push(tokensPerSecond);
  }

  /** Mean of the newest 30, or null before the first. */
  get mean(): number | null {
    const rates = this.#rates.newest();
    if (rates.length === 0) return null;
    return rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  }
}
