import { escapeHtml, LETTER_WIDTH, type Size } from './plane.ts';

/** An entry of a legend. */
export interface Key {
  readonly name: string;
  readonly color: string;
  /** What was calculated of its values. */
  readonly texts?: readonly string[];
}

const ROW_HEIGHT = 18;
const SIGN_WIDTH = 34;
/** Of a panel; what does not fit can be scrolled to in Grafana, and is not to be seen here. */
const MOST = 0.35;

/** The list below a chart, and how high it is. */
export function drawLegend(
  keys: readonly Key[],
  { width, height }: Size,
): { readonly html: string; readonly height: number } {
  let [rows, x] = [1, 0];
  for (const key of keys) {
    const needed = textOf(key).length * LETTER_WIDTH + SIGN_WIDTH;
    if (x > 0 && x + needed > width) [rows, x] = [rows + 1, 0];
    x += needed;
  }
  const most = Math.max(1, Math.floor((height * MOST) / ROW_HEIGHT));
  const tall = keys.length === 0 ? 0 : Math.min(rows, most) * ROW_HEIGHT;
  const items = keys.map(
    (key) => `<span><i style="background:${key.color}"></i>${escapeHtml(textOf(key))}</span>`,
  );
  return {
    html: `<div class="legend" style="height:${tall}px">${items.join('')}</div>`,
    height: tall,
  };
}

function textOf({ name, texts = [] }: Key): string {
  return [name, ...texts].join('  ');
}
