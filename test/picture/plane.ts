import type { Range } from '../rig/prometheus.ts';

/** In pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The part of a chart in which values are drawn: time to the right, in seconds, values upwards. */
export interface Plane extends Size {
  readonly left: number;
  readonly top: number;
  readonly x: (time: number) => number;
  readonly y: (value: number) => number;
}

/** A mark of the vertical axis: where it is, and what stands there. */
export interface Mark {
  readonly y: number;
  readonly text: string;
}

export const LETTER_WIDTH = 6.3;
const TIME_AXIS_HEIGHT = 20;
const TOP = 6;
const RIGHT = 10;
const PIXELS_PER_TIME = 90;

/** Leaves room for the texts of both axes. */
export function planeOf(
  size: Size,
  texts: readonly string[],
  { start, end }: Range,
  [min, max]: readonly [number, number],
): Plane {
  const left = Math.max(20, ...texts.map((text) => text.length * LETTER_WIDTH + 10));
  const width = size.width - left - RIGHT;
  const height = size.height - TOP - TIME_AXIS_HEIGHT;
  return {
    left,
    top: TOP,
    width,
    height,
    x: (time) => left + ((time - start) / (end - start)) * width,
    y: (value) => TOP + (1 - (value - min) / (max - min)) * height,
  };
}

/** Grid and texts of both axes. */
export function drawAxes(plane: Plane, marks: readonly Mark[], range: Range): string {
  const { left, top, width, height } = plane;
  const rows = marks.map(
    ({ y, text }) =>
      `<path class="grid" d="M${px(left)} ${px(y)}h${px(width)}"/><text x="${px(left - 6)}" y="${px(y + 4)}" text-anchor="end">${escapeHtml(text)}</text>`,
  );
  const columns = timeTicks(range, width / PIXELS_PER_TIME).map((time) => {
    const x = px(plane.x(time));
    return `<path class="grid" d="M${x} ${top}v${px(height)}"/><text x="${x}" y="${px(top + height + 16)}" text-anchor="middle">${clock(time)}</text>`;
  });
  return [...rows, ...columns].join('');
}

/** The line through these values, interrupted where one is no number; one between two such is a dot. */
export function linePath(points: readonly (readonly [number, number])[]): string {
  return runsOf(points)
    .map((run) => `M${run.map(pair).join('L')}${run.length === 1 ? 'h.01' : ''}`)
    .join('');
}

/** What lies between the values and those below them, with the same gaps. */
export function areaPath(
  points: readonly (readonly [number, number])[],
  below: (x: number) => number,
): string {
  return runsOf(points)
    .map((run) => {
      const back = run.map(([x]) => [x, below(x)] as const).toReversed();
      return `M${[...run, ...back].map(pair).join('L')}Z`;
    })
    .join('');
}

export function svg({ width, height }: Size, content: string): string {
  return `<svg width="${px(width)}" height="${px(height)}">${content}</svg>`;
}

export function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}

export function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };
  return text.replace(/[&<"]/g, (sign) => entities[sign] ?? sign);
}

function runsOf(points: readonly (readonly [number, number])[]): (readonly [number, number])[][] {
  const runs: (readonly [number, number])[][] = [[]];
  for (const point of points) {
    if (Number.isFinite(point[1])) runs.at(-1)?.push(point);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

function pair([x, y]: readonly [number, number]): string {
  return `${px(x)} ${px(y)}`;
}

/** Whole minutes, or parts of them. */
function timeTicks({ start, end }: Range, count: number): number[] {
  const steps = [5, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400];
  const step = steps.find((one) => (end - start) / one <= count) ?? 604_800;
  const first = Math.ceil(start / step);
  const length = Math.max(0, Math.floor(end / step) - first + 1);
  return Array.from({ length }, (_, index) => (first + index) * step);
}

function clock(time: number): string {
  const text = new Date(time * 1000).toISOString().slice(11, 19);
  return text.endsWith(':00') ? text.slice(0, 5) : text;
}
