import { stripVTControlCharacters } from 'node:util';

/** Neighbouring columns under one heading. */
export interface Group {
  readonly title: string;
  readonly columns: number;
}

const GAP = 2;

/** Rows as lines with aligned columns, the first to the left, the others to the right; groups stand above all but the first. */
export function formatTable(
  rows: readonly (readonly string[])[],
  groups: readonly Group[] = [],
): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
    }
  }
  const lines = rows.map((row) =>
    row
      .map((cell, index) => {
        const padding = ' '.repeat((widths[index] ?? 0) - widthOf(cell));
        return index === 0 ? cell + padding : padding + cell;
      })
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
  if (groups.length > 0) lines.unshift(formatGroups(groups, widths));
  return lines.map((line) => `  ${line}`).join('\n');
}

/** A number with about three digits that count. */
export function short(value: number): string {
  return value.toFixed(value < 99.95 ? 1 : 0);
}

function formatGroups(groups: readonly Group[], widths: readonly number[]): string {
  const cells = [' '.repeat(widths[0] ?? 0)];
  let column = 1;
  for (const { title, columns } of groups) {
    const spanned = widths.slice(column, column + columns);
    const width = spanned.reduce((sum, one) => sum + one, GAP * (columns - 1));
    cells.push(`─ ${title} `.padEnd(width, '─'));
    column += columns;
  }
  return cells.join(' '.repeat(GAP));
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
