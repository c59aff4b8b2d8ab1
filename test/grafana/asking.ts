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
  const query = substitute(expression, choice, range);
  const answers = isInstant
    ? (await prometheus.askAll(query)).map(({ value }) => [value])
    : (await prometheus.askRange(query, range)).map(({ values }) => values);
  return answers.filter((samples) => samples.some(([, value]) => Number.isFinite(Number(value))))
    .length;
}

/** Grafana escapes what is one of several, since it stands in a pattern. */
function substitute(
  expression: string,
  { instance, models }: Choice,
  { start, end, step }: Range,
): string {
  const model =
    models === 'all'
      ? '.*'
      : `(${models.map((name) => name.replaceAll(/[.+*?^$(){}[\]|/\\]/g, '\\\\$&')).join('|')})`;
  const values = {
    $__rate_interval: `${step * 4}s`,
    $__range: `${Math.ceil(end - start)}s`,
    $job: 'jano',
    $instance: instance,
    $model: model,
  };
  return Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(name, () => value),
    expression,
  );
}
