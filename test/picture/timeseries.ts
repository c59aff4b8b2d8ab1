import { hexOf } from './colors.ts';
import { type Field, fieldOf } from './dashboard.ts';
import { type Drawing, lastOf } from './drawing.ts';
import { drawLegend } from './legend.ts';
import { areaPath, drawAxes, linePath, type Plane, planeOf, px, svg } from './plane.ts';
import { timesOf } from './series.ts';
import { formatValue, ticksOf } from './units.ts';

/** A series as it is drawn: of a stack, on top of those before it. */
interface Line {
  readonly name: string;
  readonly field: Field;
  readonly color: string;
  readonly own: readonly number[];
  readonly values: readonly number[];
  readonly base: readonly number[] | null;
}

const PIXELS_PER_TICK = 34;

export function drawTimeseries(drawing: Drawing): string {
  const { panel, range, size } = drawing;
  const lines = linesOf(drawing);
  const { showLegend, calcs } = panel.options.legend;
  const keys = lines.map(({ name, color, own, field: { unit, decimals } }) => ({
    name,
    color,
    texts: calcs.map((calc) => `${calc} ${formatValue(calculate(calc, own), unit, decimals)}`),
  }));
  const legend = drawLegend(showLegend ? keys : [], size);
  const chart = { width: size.width, height: size.height - legend.height };
  const { unit, min, max, thresholds, custom } = fieldOf(panel, '');
  const ends = endsOf(lines, min, max);
  const ticks = ticksOf(...ends, chart.height / PIXELS_PER_TICK, unit);
  const texts = ticks.map((tick) => formatValue(tick, unit));
  const plane = planeOf(chart, texts, range, ends);
  const marks = ticks.map((tick, index) => ({ y: plane.y(tick), text: texts[index] ?? '' }));
  const limits = thresholds.steps.flatMap(({ value, color }) =>
    value === null || value > ends[1] || custom.thresholdsStyle.mode === 'off'
      ? []
      : [
          `<path d="M${px(plane.left)} ${px(plane.y(value))}h${px(plane.width)}" stroke="${hexOf(color)}" stroke-dasharray="6 4"/>`,
        ],
  );
  // The last of a stack lies at the back.
  const drawn = lines.map((line) => drawLine(line, plane, timesOf(range)));
  return svg(chart, drawAxes(plane, marks, range) + drawn.join('') + limits.join('')) + legend.html;
}

function linesOf({ panel, series, palette }: Drawing): Line[] {
  const top: number[] = [];
  return series.map(({ name, values }) => {
    const field = fieldOf(panel, name);
    const color = palette.colorOf(field, name, lastOf(values));
    const line = { name: field.displayName ?? name, field, color, own: values };
    if (field.custom.stacking.mode === 'none') return { ...line, values, base: null };
    const base = values.map((_, index) => top[index] ?? 0);
    const sums = values.map((value, index) => (base[index] ?? 0) + (value || 0));
    top.splice(0, top.length, ...sums);
    return { ...line, values: sums, base };
  });
}

/** From and to; a little more than what is there. */
function endsOf(lines: readonly Line[], min?: number, max?: number): [number, number] {
  const all = lines.flatMap(({ values }) => values).filter(Number.isFinite);
  const low = min ?? Math.min(...all, Infinity);
  const high = max ?? Math.max(...all, -Infinity);
  const from = Number.isFinite(low) ? low : 0;
  const to = Number.isFinite(high) && high > from ? high : from + 1;
  return [from, max === undefined ? to + (to - from) * 0.05 : to];
}

function drawLine({ field, color, values, base }: Line, plane: Plane, times: readonly number[]) {
  const { lineWidth, fillOpacity } = field.custom;
  const xs = times.map(plane.x);
  const points = xs.map((x, index) => [x, plane.y(values[index] ?? NaN)] as const);
  const floors = new Map(xs.map((x, index) => [x, plane.y(base?.[index] ?? 0)]));
  const ground = plane.top + plane.height;
  const below = (x: number): number => Math.min(ground, floors.get(x) ?? ground);
  const area = `<path d="${areaPath(points, below)}" fill="${color}" fill-opacity="${fillOpacity / 100}"/>`;
  const line = `<path class="line" d="${linePath(points)}" stroke="${color}" stroke-width="${lineWidth}"/>`;
  return (fillOpacity > 0 ? area : '') + (lineWidth > 0 ? line : '');
}

function calculate(calc: string, values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value));
  if (known.length === 0) return NaN;
  const sum = known.reduce((total, value) => total + value, 0);
  if (calc === 'max') return Math.max(...known);
  if (calc === 'min') return Math.min(...known);
  if (calc === 'mean') return sum / known.length;
  if (calc === 'sum') return sum;
  return lastOf(known);
}
