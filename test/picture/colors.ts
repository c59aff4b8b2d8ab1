import type { Field } from './dashboard.ts';

const NAMED: ReadonlyMap<string, string> = new Map([
  ['green', '#73bf69'],
  ['yellow', '#fade2a'],
  ['orange', '#ff9830'],
  ['red', '#f2495c'],
  ['blue', '#5794f2'],
  ['purple', '#b877d9'],
  ['text', '#ccccdc'],
]);

/** As they are to be told apart on black, the most different first. */
const PALETTE =
  `#5794f2 #73bf69 #ff9830 #b877d9 #fade2a #f2495c #6ed0e0 #f29191 #96d98d #8ab8ff #e0b400
  #ca95e5 #ffb357 #37a2a2 #d683ce #9ac48a`.split(/\s+/);

/** Colours of series by their names: the same on the whole page. Grafana's own are others; here all differ as long as they can. */
export class Palette {
  readonly #byName = new Map<string, string>();

  /** That of a series whose last value this is. */
  colorOf({ color, thresholds }: Field, name: string, value: number): string {
    if (color?.mode === 'fixed') return hexOf(color.fixedColor ?? 'text');
    if (color?.mode.startsWith('palette')) return this.#next(name);
    return hexOf(stepAt(thresholds.steps, value)?.color ?? 'green');
  }

  #next(name: string): string {
    const known = this.#byName.get(name);
    const color = known ?? PALETTE[this.#byName.size % PALETTE.length] ?? '';
    this.#byName.set(name, color);
    return color;
  }
}

/** A colour of Grafana's by name as CSS has it. */
export function hexOf(name: string): string {
  const shade = /^(super-light|light|semi-dark|dark)-(\w+)$/.exec(name);
  const [, kind = '', base = name] = shade ?? [];
  const hex = NAMED.get(base) ?? base;
  if (kind === '') return hex;
  return `color-mix(in srgb, ${hex} 70%, ${kind.includes('light') ? 'white' : 'black'})`;
}

type Steps = Field['thresholds']['steps'];

function stepAt(steps: Steps, value: number): Steps[number] | undefined {
  return steps.findLast(({ value: from }) => from === null || value >= from);
}
