import { z } from 'zod';
import { fieldOf } from './dashboard.ts';
import { type Drawing, lastOf } from './drawing.ts';
import { escapeHtml } from './plane.ts';
import { formatValue } from './units.ts';

const renames = z.object({ renameByName: z.record(z.string(), z.string()).default({}) });

const LARGEST = 56;
const LETTER_SHARE = 0.56;

/** Each series as one large figure, or as its name. */
export function drawStat({ panel, series, size, palette }: Drawing): string {
  const { textMode, colorMode } = panel.options;
  const share = size.width / series.length;
  const figures = series.map(({ name, values }) => {
    const field = fieldOf(panel, name);
    const value = lastOf(values);
    const shown =
      textMode === 'name' ? name : formatValue(value, field.unit, field.decimals) || field.noValue;
    const color = colorMode === 'none' ? 'inherit' : palette.colorOf(field, name, value);
    const isNamed = series.length > 1 && textMode === 'auto';
    const room = Math.min((share - 12) / (shown.length * LETTER_SHARE), size.height * 0.6, LARGEST);
    return `<div>${isNamed ? `<small>${escapeHtml(name)}</small>` : ''}<b style="color:${color};font-size:${Math.round(room)}px">${escapeHtml(shown)}</b></div>`;
  });
  return `<div class="stat">${figures.join('')}</div>`;
}

/** Each series as a bar, the longest as long as the panel is wide. */
export function drawBarGauge({ panel, series, palette }: Drawing): string {
  const most = Math.max(...series.map(({ values }) => lastOf(values)), 0);
  const rows = series.map(({ name, values }) => {
    const field = fieldOf(panel, name);
    const value = lastOf(values);
    const color = palette.colorOf(field, name, value);
    const width = (100 * value) / (field.max ?? (most || 1));
    return `<span>${escapeHtml(name)}</span><div><i style="width:${width.toFixed(1)}%;background:${color}"></i></div><b style="color:${color}">${formatValue(value, field.unit, field.decimals)}</b>`;
  });
  return `<div class="bars">${rows.join('')}</div>`;
}

/** One row for each set of labels, one column for each label and for each query. */
export function drawTable({ panel, series }: Drawing): string {
  const refs = [...new Set(panel.targets.map(({ refId }) => refId))];
  const labels = [...new Set(series.flatMap((one) => Object.keys(one.labels)))];
  const rows = Map.groupBy(series, (one) =>
    JSON.stringify(labels.map((label) => one.labels[label])),
  );
  const names: Readonly<Record<string, string>> = Object.assign(
    {},
    ...panel.transformations.map(({ options }) => renames.parse(options).renameByName),
  );
  const columns = refs.map((ref) => {
    const name = refs.length > 1 ? `Value #${ref}` : 'Value';
    return { ref, name, field: fieldOf(panel, name) };
  });
  const heads = [
    ...labels.map((label) => names[label] ?? label),
    ...columns.map(({ name, field }) => field.displayName ?? names[name] ?? name),
  ];
  const body = [...rows.values()].map((cells) => {
    const values = columns.map(({ ref, field }) => {
      const value = lastOf(cells.find(({ refId }) => refId === ref)?.values ?? []);
      return `<td class="number">${formatValue(value, field.unit, field.decimals) || field.noValue}</td>`;
    });
    const told = labels.map((label) => `<td>${escapeHtml(cells[0]?.labels[label] ?? '')}</td>`);
    return `<tr>${told.join('')}${values.join('')}</tr>`;
  });
  const head = heads.map(
    (name, index) =>
      `<th${index < labels.length ? '' : ' class="number"'}>${escapeHtml(name)}</th>`,
  );
  return `<table><tr>${head.join('')}</tr>${body.join('')}</table>`;
}

/** As much of Markdown as a dashboard has: lists, links, `code`, *emphasis*. */
export function drawText(markdown: string): string {
  const paragraphs = markdown.split(/\n\n+/).map((paragraph) => {
    const inline = escapeHtml(paragraph)
      .replace(/`([^`]+)`/g, '<code>$1</code>')
      .replace(/\[([^\]]+)\]\([^)]*\)/g, '<a>$1</a>')
      .replace(/\*+([^*]+)\*+/g, '<em>$1</em>');
    return inline.startsWith('- ')
      ? `<ul>${inline.replace(/^- (.*)$/gm, '<li>$1</li>')}</ul>`
      : `<p>${inline.replace(/^#+ (.*)$/gm, '<strong>$1</strong>')}</p>`;
  });
  return `<div class="text">${paragraphs.join('')}</div>`;
}
