import type { InstantSeries, RangeSeries } from '../rig/prometheus.ts';
import type { Source } from './page.ts';

const HERE = { x: 0, y: 0, w: 12, h: 8 };
const up = { unit: 'short', color: { mode: 'fixed', fixedColor: '#010203' } };

/** A panel of Grafana's Classic model, as JSON has it. */
export type RawPanel = Readonly<Record<string, unknown>>;

/** One panel of each type that there is a picture of, and one of another. */
export const panels: Readonly<Record<string, RawPanel>> = {
  row: { type: 'row', title: 'Now', gridPos: { ...HERE, w: 24, h: 1 } },
  stat: ask('stat', { instant: true }),
  timeseries: ask('timeseries', {}),
  stateTimeline: ask('state-timeline', {}, [
    { type: 'value', options: { 1: { text: 'in memory', color: 'blue' } } },
    { type: 'special', options: { match: 'null+nan', result: { text: 'unknown' } } },
  ]),
  heatmap: ask('heatmap', { expr: 'buckets' }),
  bargauge: ask('bargauge', { instant: true }),
  table: ask('table', { instant: true }),
  text: { type: 'text', gridPos: HERE, options: { content: '- [Traces]($traces_url)' } },
  other: ask('geomap', {}),
};

function ask(type: string, target: object, mappings: readonly object[] = []): RawPanel {
  const targets = [{ refId: 'A', expr: 'depth', legendFormat: '{{model}}', ...target }];
  return {
    type,
    title: `Of ${type}`,
    gridPos: HERE,
    targets,
    fieldConfig: { defaults: { ...up, mappings } },
  };
}

/** A dashboard of these panels, one below the other. */
export function dashboardOf(raw: readonly RawPanel[]): string {
  const placed = raw.map((panel, index) => ({ ...panel, gridPos: { ...HERE, y: index * 8 } }));
  return JSON.stringify({ schemaVersion: 42, title: 'Sample', panels: placed });
}

/** Six steps of ten seconds; two models, a histogram. */
export const source: Source = {
  range: { start: 1000, end: 1050, step: 10 },
  variables: { job: 'jano', traces_url: 'http://localhost:16686' },
  prometheus: {
    askAll: async (query) =>
      query === 'depth'
        ? ['qwen', 'gemma'].map((model, index): InstantSeries => {
            return { metric: { model }, value: [1050, String(index + 3)] };
          })
        : [],
    askRange: async (query) => {
      if (query === 'depth') return ['qwen', 'gemma'].map((model) => lineOf({ model }, 1));
      if (query === 'buckets') return [lineOf({ le: '+Inf' }, 5), lineOf({ le: '1' }, 2)];
      return [];
    },
  },
};

/** Its third step is missing, the fourth is no number. */
function lineOf(metric: Readonly<Record<string, string>>, value: number): RangeSeries {
  return {
    metric,
    values: [1000, 1010, 1030, 1040, 1050].map((at) => [at, at === 1030 ? 'NaN' : String(value)]),
  };
}
