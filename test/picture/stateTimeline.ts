import { hexOf } from './colors.ts';
import { type Field, fieldOf } from './dashboard.ts';
import type { Drawing } from './drawing.ts';
import { drawLegend } from './legend.ts';
import { drawAxes, planeOf, px, svg } from './plane.ts';
import { timesOf } from './series.ts';

/** What a value stands for. */
interface State {
  readonly text: string;
  readonly color: string;
}

export function drawStateTimeline({ panel, series, range, size, palette }: Drawing): string {
  const defaults = fieldOf(panel, '');
  const keys = statesOf(defaults).filter(({ color }) => color !== 'transparent');
  const legend = drawLegend(
    panel.options.legend.showLegend ? keys.map(({ text, color }) => ({ name: text, color })) : [],
    size,
  );
  const chart = { width: size.width, height: size.height - legend.height };
  const names = series.map(({ name }) => name);
  const plane = planeOf(chart, names, range, [0, series.length]);
  const row = plane.height / series.length;
  const marks = names.map((text, index) => ({ y: plane.top + row * (index + 0.5), text }));
  const times = timesOf(range);
  const bars = series.flatMap(({ name, values }, index) => {
    const field = fieldOf(panel, name);
    const height = row * panel.options.rowHeight;
    const y = plane.top + row * index + (row - height) / 2;
    return runsOf(values).map(({ value, from, to }) => {
      const color = stateOf(field, value)?.color ?? palette.colorOf(field, name, value);
      const start = plane.x(times[from] ?? range.end);
      const width = plane.x(times[to] ?? range.end) - start;
      return `<rect x="${px(start)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" fill="${color}" fill-opacity="${field.custom.fillOpacity / 100}"/>`;
    });
  });
  return svg(chart, drawAxes(plane, marks, range) + bars.join('')) + legend.html;
}

/** Equal values side by side, as one; `to` is the step after the last of them. */
function runsOf(values: readonly number[]): { value: number; from: number; to: number }[] {
  const runs: { value: number; from: number; to: number }[] = [];
  for (const [index, value] of values.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && Object.is(last.value, value)) last.to = index + 1;
    else runs.push({ value, from: index, to: index + 1 });
  }
  return runs;
}

/** By the mappings; undefined where there is none for it. */
function stateOf({ mappings }: Field, value: number): State | undefined {
  for (const mapping of mappings) {
    const found =
      mapping.type === 'value'
        ? mapping.options[String(value)]
        : mapping.options.match.includes('nan') && Number.isNaN(value)
          ? mapping.options.result
          : undefined;
    if (found !== undefined) return toState(found);
  }
  return Number.isNaN(value) ? { text: '', color: 'transparent' } : undefined;
}

/** All of them, for the legend. */
function statesOf({ mappings }: Field): State[] {
  return mappings.flatMap((mapping) =>
    mapping.type === 'value'
      ? Object.values(mapping.options).map(toState)
      : [toState(mapping.options.result)],
  );
}

function toState({
  text = '',
  color = 'text',
}: {
  text?: string | undefined;
  color?: string | undefined;
}): State {
  return { text, color: hexOf(color) };
}
