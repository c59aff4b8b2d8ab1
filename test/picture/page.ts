import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Prometheus, Range } from '../rig/prometheus.ts';
import { Palette } from './colors.ts';
import { type Dashboard, fieldOf, type Panel } from './dashboard.ts';
import type { Drawing } from './drawing.ts';
import { drawBarGauge, drawStat, drawTable, drawText } from './figures.ts';
import { drawHeatmap } from './heatmap.ts';
import { escapeHtml, type Size } from './plane.ts';
import { askPanel } from './series.ts';
import { drawStateTimeline } from './stateTimeline.ts';
import { drawTimeseries } from './timeseries.ts';
import { rateInterval, secondsOf, substitute, type Variables } from './variables.ts';

/** Where something is on the page, in pixels. */
export interface Place extends Size {
  readonly left: number;
  readonly top: number;
}

/** A page, and how high it is. */
export interface Page {
  readonly html: string;
  readonly height: number;
}

/** What a dashboard is filled from. */
export interface Source {
  readonly prometheus: Pick<Prometheus, 'askAll' | 'askRange'>;
  readonly range: Range;
  readonly variables: Variables;
}

const COLUMNS = 24;
const ROW = 30;
const GAP = 8;
const HEADER = 44;
const TITLE = 32;
const PADDING = 8;

/** What is drawn of a type of panel. */
const DRAWERS: Readonly<Record<string, (drawing: Drawing) => string>> = {
  timeseries: drawTimeseries,
  'state-timeline': drawStateTimeline,
  heatmap: drawHeatmap,
  stat: drawStat,
  bargauge: drawBarGauge,
  table: drawTable,
};

/** Asks all queries of the dashboard, and draws it as wide as told. */
export async function drawPage(
  { title, panels }: Dashboard,
  source: Source,
  width: number,
): Promise<Page> {
  const places = panels.map(({ gridPos }) => placeOf(gridPos, width));
  const palette = new Palette();
  const drawn: string[] = [];
  // One after the other, so that colours come in the order of the page.
  for (const [index, panel] of panels.entries()) {
    const place = places[index] ?? placeOf(panel.gridPos, width);
    drawn.push(await drawPanel(panel, place, source, palette));
  }
  const height = Math.max(...places.map(({ top, height: tall }) => top + tall)) + GAP;
  const style = await readFile(join(import.meta.dirname, 'page.css'), 'utf8');
  const html = `<!doctype html><meta charset="utf-8"><title>${escapeHtml(title)}</title><style>${style}</style>
<body style="width:${width}px;height:${height}px">${drawHeader(title, source)}${drawn.join('\n')}`;
  return { html, height };
}

/** Grafana's grid: 24 columns, rows of 30 pixels, 8 between. */
export function placeOf({ x, y, w, h }: Panel['gridPos'], width: number): Place {
  const column = (width - GAP * (COLUMNS + 1)) / COLUMNS;
  return {
    left: GAP + x * (column + GAP),
    top: HEADER + y * (ROW + GAP),
    width: w * (column + GAP) - GAP,
    height: h * (ROW + GAP) - GAP,
  };
}

function drawHeader(title: string, { range, variables }: Source): string {
  const shown = ['job', 'instance', 'model'].map((name) => {
    const value = [variables[name] ?? ''].flat().join(' + ');
    return `<span>${name}</span><b>${escapeHtml(value === '.*' ? 'All' : value)}</b>`;
  });
  const minutes = Math.round((range.end - range.start) / 60);
  return `<header><strong>${escapeHtml(title)}</strong>${shown.join('')}<span>last</span><b>${minutes} minutes</b></header>`;
}

async function drawPanel(
  panel: Panel,
  { left, top, width, height }: Place,
  source: Source,
  palette: Palette,
): Promise<string> {
  const box = `style="left:${left}px;top:${top}px;width:${width}px;height:${height}px"`;
  const title = escapeHtml(substitute(panel.title, source.variables));
  if (panel.type === 'row') {
    return `<h2 ${box}>${panel.collapsed ? '▸' : '▾'} ${title}</h2>`;
  }
  const size = { width: width - 2 * PADDING, height: height - TITLE - PADDING };
  const content = await drawContent(panel, size, source, palette);
  const mark = panel.description === undefined ? '' : '<i>i</i>';
  return `<section ${box}><h3>${title}${mark}</h3>${content}</section>`;
}

async function drawContent(
  panel: Panel,
  size: Size,
  source: Source,
  palette: Palette,
): Promise<string> {
  const { prometheus, range, variables } = atInterval(source, panel.interval);
  if (panel.type === 'text') return drawText(substitute(panel.options.content, variables));
  const draw = DRAWERS[panel.type];
  if (draw === undefined) return `<p class="none">no picture of ${escapeHtml(panel.type)}</p>`;
  const series = await askPanel(prometheus, panel, range, variables);
  if (series.length === 0) return `<p class="none">${escapeHtml(fieldOf(panel, '').noValue)}</p>`;
  return draw({ panel, series, range, size, palette });
}

/** With steps that are no shorter than the panel wants them; the range then ends with a whole step. */
function atInterval(source: Source, interval: string | undefined): Source {
  const { range, variables } = source;
  const step = interval === undefined ? 0 : secondsOf(interval);
  if (step <= range.step) return source;
  const end = Math.floor(range.end / step) * step;
  const windows = {
    __interval: `${step}s`,
    __rate_interval: `${rateInterval(step, range.step)}s`,
  };
  const coarser = { start: end - (range.end - range.start), end, step };
  return { ...source, range: coarser, variables: { ...variables, ...windows } };
}
