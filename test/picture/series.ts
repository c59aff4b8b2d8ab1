import type { Prometheus, Range } from '../rig/prometheus.ts';
import type { Panel } from './dashboard.ts';
import { substitute, type Variables } from './variables.ts';

/** One line of a chart, one row of a table. */
export interface Series {
  readonly name: string;
  readonly refId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** One for each step of the range, NaN where there is none; of an instant query the only one. */
  readonly values: readonly number[];
}

/** What the queries of a panel give, in their order. */
export async function askPanel(
  prometheus: Pick<Prometheus, 'askAll' | 'askRange'>,
  { targets }: Panel,
  range: Range,
  variables: Variables,
): Promise<readonly Series[]> {
  const answers = await Promise.all(
    targets.map(async ({ expr, refId, legendFormat, instant }) => {
      const query = substitute(expr, variables);
      const found = instant
        ? (await prometheus.askAll(query)).map(({ metric, value }) => ({ metric, values: [value] }))
        : await prometheus.askRange(query, range);
      return found.map(({ metric, values }) => ({
        name: legendOf(legendFormat, metric),
        refId,
        labels: metric,
        values: instant
          ? values.map(([, value]) => numberOf(value))
          : spread(values, range).map((value) => numberOf(value ?? 'NaN')),
      }));
    }),
  );
  return answers.flat();
}

/** Seconds since the epoch of each step. */
export function timesOf({ start, end, step }: Range): number[] {
  return Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, at) => start + at * step);
}

/** `{{label}}` is what that label says; without a format, what tells the series apart from others. */
export function legendOf(format: string, metric: Readonly<Record<string, string>>): string {
  if (format !== '__auto' && format !== '') {
    return format.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, label: string) => metric[label] ?? '');
  }
  const { __name__: name = '', ...labels } = metric;
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return pairs.length === 1 ? (Object.values(labels)[0] ?? '') : `${name}{${pairs.join(', ')}}`;
}

/** Prometheus leaves out what is not there. */
function spread(
  samples: readonly (readonly [number, string])[],
  range: Range,
): readonly (string | undefined)[] {
  const byStep = new Map(
    samples.map(([at, value]) => [Math.round((at - range.start) / range.step), value]),
  );
  return timesOf(range).map((_, step) => byStep.get(step));
}

function numberOf(value: string): number {
  return value.endsWith('Inf') ? Number(value.replace('Inf', 'Infinity')) : Number(value);
}
