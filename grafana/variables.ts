import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  TextBoxVariableBuilder,
  type VariableModel,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { METRICS, prometheusName } from '../src/telemetry/metrics.ts';

/** What a person chooses at the top: one Jano, and of its models some or all. */
export function createVariables(): Builder<VariableModel>[] {
  const uptime = prometheusName(METRICS.uptime);
  const loaded = prometheusName(METRICS.modelLoaded);
  return [
    new DatasourceVariableBuilder('datasource')
      .label('Data source')
      .description('The Prometheus that scrapes Jano')
      .type('prometheus'),
    valuesOf('job', `label_values(${uptime}, job)`)
      .label('Job')
      .description('The job of Prometheus that scrapes Jano'),
    valuesOf('instance', `label_values(${uptime}{job="$job"}, instance)`)
      .label('Jano')
      .description('One Jano: one memory, one queue'),
    valuesOf('model', `label_values(${loaded}{job="$job", instance="$instance"}, model)`)
      .label('Model')
      .description('Some of its models, or all; "All" has also what was asked of unknown ones')
      .multi(true)
      .includeAll(true)
      .allValue('.*')
      .current({ text: 'All', value: '$__all', selected: true }),
    new TextBoxVariableBuilder('traces_url')
      .label('Traces')
      .description('Where Jaeger is opened, for the links of the last row')
      .defaultValue('http://localhost:16686'),
  ];
}

function valuesOf(name: string, query: string): QueryVariableBuilder {
  return new QueryVariableBuilder(name)
    .datasource({ type: 'prometheus', uid: '${datasource}' })
    .query({ query, refId: 'PrometheusVariableQueryEditor-VariableQuery', qryType: 1 })
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc);
}
