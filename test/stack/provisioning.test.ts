import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { METRICS, prometheusName, type Metric } from '../../src/telemetry/metrics.ts';
import { readYaml } from './yamlFile.ts';

const METRICS_OF_JANO: readonly Metric[] = Object.values(METRICS);
const FOLDER = 'grafana/provisioning/datasources';
const FILES = readdirSync(join(import.meta.dirname, '../..', FOLDER));

const tracesToMetrics = z.strictObject({
  datasourceUid: z.string(),
  spanStartTimeShift: z.string(),
  spanEndTimeShift: z.string(),
  tags: z.array(z.strictObject({ key: z.string(), value: z.string() })),
  queries: z.array(z.strictObject({ name: z.string(), query: z.string() })).min(1),
});
const datasources = z.strictObject({
  apiVersion: z.literal(1),
  datasources: z
    .array(
      z.object({
        uid: z.string(),
        type: z.string(),
        url: z.string(),
        jsonData: z.object({
          timeInterval: z.string().optional(),
          tracesToMetrics: tracesToMetrics.optional(),
        }),
      }),
    )
    .length(1),
});

function readDatasource(file: string) {
  const { datasources: all } = datasources.parse(readYaml(join(FOLDER, file)));
  const [only] = all;
  assert.ok(only !== undefined);
  return only;
}

test('Grafana has a data source for each store, under the name by which dashboards ask for it', () => {
  const found = FILES.map(readDatasource).map(({ uid, type, url }) => ({ uid, type, url }));

  assert.deepEqual(found, [
    { uid: 'jaeger', type: 'jaeger', url: 'http://jaeger:16686' },
    { uid: 'prometheus', type: 'prometheus', url: 'http://prometheus:9090' },
    { uid: 'tempo', type: 'tempo', url: 'http://tempo:3200' },
  ]);
});

test('a rate in Grafana spans enough scrapes, since both say the same interval', () => {
  const { global } = z
    .object({ global: z.object({ scrape_interval: z.string() }) })
    .parse(readYaml('prometheus/prometheus.yml'));

  assert.equal(readDatasource('prometheus.yaml').jsonData.timeInterval, global.scrape_interval);
});

for (const file of ['jaeger.yaml', 'tempo.yaml']) {
  test(`${file}: a span leads to metrics that there are, of its model`, () => {
    const { tracesToMetrics: link } = readDatasource(file).jsonData;

    assert.equal(link?.datasourceUid, 'prometheus');
    for (const { query } of link.queries) {
      const [, name = '', selector] = /([a-z_]+)\{([^}]*)\}/.exec(query) ?? [];
      const metric = METRICS_OF_JANO.find(
        (candidate) => prometheusName(candidate) === name.replace(/_bucket$/, ''),
      );
      // Grafana puts the tags of the span there: model="…".
      assert.equal(selector, '$$__tags', query);
      assert.ok(metric !== undefined && metric.labels.includes('model'), query);
      assert.equal(name.endsWith('_bucket'), metric.kind === 'histogram', query);
    }
  });

  test(`${file}: the model of a request and that of a swap are told by different attributes`, () => {
    const { tracesToMetrics: link } = readDatasource(file).jsonData;

    assert.deepEqual(link?.tags, [
      { key: 'gen_ai.request.model', value: 'model' },
      { key: 'jano.swap.to', value: 'model' },
    ]);
  });
}

test('Grafana finds the dashboards where docker-compose.yml puts them', () => {
  const { providers } = z
    .object({ providers: z.array(z.object({ options: z.object({ path: z.string() }) })) })
    .parse(readYaml('grafana/provisioning/dashboards/jano.yaml'));
  const { services } = z
    .object({
      services: z.object({
        grafana: z.object({
          volumes: z.array(z.string()),
          environment: z.record(z.string(), z.string()),
        }),
      }),
    })
    .parse(readYaml('docker-compose.yml'));
  const { volumes, environment } = services.grafana;
  const path = '/etc/grafana/dashboards';

  assert.deepEqual(
    providers.map(({ options }) => options.path),
    [path],
  );
  assert.ok(volumes.includes(`./grafana/dashboards:${path}:ro`));
  for (const kind of ['datasources', 'dashboards']) {
    const mount = `./grafana/provisioning/${kind}:/etc/grafana/provisioning/${kind}:ro`;
    assert.ok(volumes.includes(mount), kind);
  }
  assert.equal(environment['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH'], `${path}/jano.json`);
});

test('Grafana lets everybody look and nobody change, and fetches nothing by itself', () => {
  const { services } = z
    .object({
      services: z.object({ grafana: z.object({ environment: z.record(z.string(), z.string()) }) }),
    })
    .parse(readYaml('docker-compose.yml'));

  assert.partialDeepStrictEqual(services.grafana.environment, {
    GF_AUTH_ANONYMOUS_ENABLED: 'true',
    GF_AUTH_ANONYMOUS_ORG_ROLE: 'Viewer',
    GF_ANALYTICS_REPORTING_ENABLED: 'false',
    GF_PLUGINS_PREINSTALL_AUTO_UPDATE: 'false',
  });
});
