import { fieldOf } from './dashboard.ts';
import type { Drawing } from './drawing.ts';
import { drawAxes, planeOf, px, svg } from './plane.ts';
import { type Series, timesOf } from './series.ts';
import { formatValue } from './units.ts';

const LEAST_ROW = 14;
const SCALE_HEIGHT = 22;
/** Of the darkest that is drawn at all. */
const FAINTEST = 0.12;

/** Columns are steps, rows the buckets of a histogram: the more in it, the brighter. */
export function drawHeatmap({ panel, series, range, size }: Drawing): string {
  const buckets = bucketsOf(series);
  const { unit } = fieldOf(panel, '');
  const texts = buckets.map(({ le }) => formatValue(le, unit));
  const chart = { width: size.width, height: size.height - SCALE_HEIGHT };
  const plane = planeOf(chart, texts, range, [0, buckets.length]);
  const row = plane.height / buckets.length;
  const every = Math.ceil(LEAST_ROW / row);
  const marks = buckets
    .map((_, index) => ({ y: plane.y(index + 1), text: texts[index] ?? '' }))
    .filter((_, index) => index % every === 0);
  const most = Math.max(...buckets.flatMap(({ counts }) => counts.filter(Number.isFinite)), 0);
  const times = timesOf(range);
  const width = plane.width / Math.max(1, times.length - 1);
  const cells = buckets.flatMap(({ counts }, index) =>
    counts.flatMap((count, step) => {
      if (!(count > 1e-9)) return [];
      const x = plane.x(times[step] ?? range.end) - width;
      return `<rect x="${px(Math.max(plane.left, x))}" y="${px(plane.y(index + 1))}" width="${px(width)}" height="${px(row - 1)}" fill="${shade(count / most)}"/>`;
    }),
  );
  return svg(chart, drawAxes(plane, marks, range) + cells.join('')) + drawScale(most);
}

function bucketsOf(series: readonly Series[]): { le: number; counts: number[] }[] {
  const sums = series
    .map(({ labels, values }) => ({
      le: Number((labels['le'] ?? '').replace('+Inf', 'Infinity')),
      values,
    }))
    .toSorted((a, b) => a.le - b.le);
  // A bucket of Prometheus counts all that the smaller ones count too.
  return sums.map(({ le, values }, index) => ({
    le,
    counts: values.map((value, step) => value - (sums[index - 1]?.values[step] ?? 0)),
  }));
}

function drawScale(most: number): string {
  const colors = [0, 0.25, 0.5, 0.75, 1].map(shade).join(',');
  return `<div class="scale">0<i style="background:linear-gradient(90deg,${colors})"></i>${formatValue(most, 'short')}</div>`;
}

/** From dark to bright orange. */
function shade(share: number): string {
  const light = FAINTEST + (1 - FAINTEST) * share;
  return `rgb(${Math.round(60 + 195 * light)},${Math.round(30 + 160 * light ** 1.3)},${Math.round(15 + 105 * light ** 3)})`;
}
