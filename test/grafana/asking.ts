import { rateInterval, substitute } from '../picture/variables.ts';
import type { Prometheus, Range } from '../rig/prometheus.ts';
import type { PanelQuery } from './dashboardFile.ts';

/** What is chosen at the top of the dashboard. */
export interface Choice {
  readonly instance: string;
  readonly models: readonly string[] | 'all';
}

/** Asks Prometheus as Grafana would; gives how many series have a value that is a number. */
export async function countSeries(
  prometheus: Prometheus,
  { expression, isInstant }: PanelQuery,
  choice: Choice,
  range: Range,
): Promise<number> {
  const query = substitute(expression, {
    job: 'jano',
    instance: choice.instance,
    model: choice.models === 'all' ? '.*' : choice.models,
    __rate_interval: `${rateInterval(range.step, range.step)}s`,
    __range: `${Math.ceil(range.end - range.start)}s`,
  });
  const answers = isInstant
    ? (await prometheus.askAll(query)).map(({ value }) => [value])
    : (await prometheus.askRange(query, range)).map(({ values }) => values);
  return answers.filter((samples) => samples.some(([, value]) => Number.isFinite(Number(value))))
    .length;
}
