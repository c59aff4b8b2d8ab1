import { METRICS, type Metric, prometheusName } from '../src/telemetry/metrics.ts';

type Kind = Metric['kind'];
type Of<K extends Kind> = Metric & { readonly kind: K };

const MODEL_LABELS = ['model', 'gen_ai.request.model', 'to'];

/** What is asked for of a label: one value, or any of several; `not` any of those. */
export type Wanted = string | readonly string[] | { readonly not: string };

/** Wanted values by the names of Prometheus' labels. */
export type Where = Readonly<Record<string, Wanted>>;

/** Long enough for two scrapes at any zoom; Grafana sets it. */
const RATE_WINDOW = '$__rate_interval';
/** Any value: of all models, where the chosen ones would be meant. */
export const ANY = ['.+'];
/** All that the dashboard shows. */
export const SHOWN_RANGE = '$__range';

/** The values of a gauge. */
export function gauge(metric: Of<'gauge'>, where: Where = {}): string {
  return series(metric, '', where);
}

/** How fast a counter grows, per second. */
export function perSecond(
  metric: Of<'counter'>,
  where: Where = {},
  window: string = RATE_WINDOW,
): string {
  return `rate(${series(metric, '', where)}[${window}])`;
}

/** By how much a counter grew. */
export function growth(metric: Of<'counter'>, window: string, where: Where = {}): string {
  return `increase(${series(metric, '', where)}[${window}])`;
}

/** How fast one of the series of a histogram grows, per second. */
export function histogramRate(
  metric: Of<'histogram'>,
  part: 'bucket' | 'sum' | 'count',
  window: string = RATE_WINDOW,
  where: Where = {},
): string {
  return `rate(${series(metric, `_${part}`, where)}[${window}])`;
}

/** What of the values lies below a share of them, by these labels. */
export function quantile(
  share: number,
  metric: Of<'histogram'>,
  { by = [], window = RATE_WINDOW, where = {} }: OverOptions = {},
): string {
  const buckets = sum(histogramRate(metric, 'bucket', window, where), 'le', ...by);
  return `histogram_quantile(${share}, ${buckets})`;
}

export interface OverOptions {
  readonly by?: readonly string[];
  readonly window?: string;
  readonly where?: Where;
}

/** The mean of what a histogram was told; nothing while it is told nothing. */
export function mean(
  metric: Of<'histogram'>,
  { by = [], window = RATE_WINDOW, where = {} }: OverOptions = {},
): string {
  const of = (part: 'sum' | 'count'): string =>
    sum(histogramRate(metric, part, window, where), ...by);
  return ratio(of('sum'), of('count'));
}

/** How many values came into each bucket, between two points of the picture. */
export function bucketGrowth(metric: Of<'histogram'>, where: Where = {}): string {
  return `sum by (le) (increase(${series(metric, '_bucket', where)}[${RATE_WINDOW}]))`;
}

/**
 * For how many seconds of the window Jano ran, over restarts. The `+ 0` takes the name away: `increase()` has a remark
 * on each metric that is not called a counter, which Grafana shows in the panel.
 */
export function secondsRun(window: string): string {
  return sum(`increase((${gauge(METRICS.uptime)} + 0)[${window}:])`);
}

export function sum(query: string, ...by: string[]): string {
  return by.length === 0 ? `sum(${query})` : `sum by (${by.join(', ')}) (${query})`;
}

/** One by the other; nothing where there is nothing to divide by. */
export function ratio(part: string, whole: string): string {
  return `${part} / (${whole} > 0)`;
}

/** A sum that is 0 where there is no series yet, as with metrics that begin with their first value. */
export function orZero(query: string): string {
  return `(${query} or vector(0))`;
}

/** Of the series of `query`, those of models that are swapped: a pinned one tells no swaps. */
export function ofSwapped(query: string): string {
  const swaps = series(METRICS.swapDuration, '_count', { outcome: 'ok' });
  return `${query} and on (model) increase(${swaps}[1h])`;
}

/** A series of this name where there is none. */
export function orNamed(query: string, label: string, name: string): string {
  return `${query} or on () label_replace(vector(0), "${label}", "${name}", "", "")`;
}

/** Without the series that are no number, as quantiles of nothing are. */
export function numbersOf(query: string): string {
  return `${query} >= 0`;
}

/** Of the chosen Jano and, where the metric has models and `where` wants none, of the chosen ones. */
function series(metric: Metric, suffix: string, where: Where): string {
  const ofModel = MODEL_LABELS.find((label) => metric.labels.includes(label));
  const chosen = ofModel === undefined ? {} : { [ofModel.replaceAll('.', '_')]: ['$model'] };
  const matchers = Object.entries({ job: '$job', instance: '$instance', ...chosen, ...where });
  const written = matchers.map(([label, wanted]) => matcher(label, wanted)).join(', ');
  return `${prometheusName(metric)}${suffix}{${written}}`;
}

function matcher(label: string, wanted: Wanted): string {
  if (typeof wanted === 'string') return `${label}="${wanted}"`;
  if ('not' in wanted) return `${label}!="${wanted.not}"`;
  return `${label}=~"${wanted.join('|')}"`;
}
