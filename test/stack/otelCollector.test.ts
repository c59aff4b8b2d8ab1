import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { readYaml } from './yamlFile.ts';

/**
 * What the image otel/opentelemetry-collector has of the kinds that the file uses: distributions/otelcol/manifest.yaml of
 * open-telemetry/opentelemetry-collector-releases, of version 0.139.0. Its list is closed: only new parts of the core
 * repository join it. The exporters are called otlp_grpc and otlp_http since 0.144.0, says the collector's changelog.
 */
const CORE = {
  receivers: ['nop', 'otlp', 'hostmetrics', 'jaeger', 'kafka', 'prometheus', 'zipkin'],
  processors: [
    'batch',
    'memory_limiter',
    'attributes',
    'resource',
    'span',
    'probabilistic_sampler',
    'filter',
  ],
  exporters: [
    'debug',
    'nop',
    'otlp_grpc',
    'otlp_http',
    'file',
    'kafka',
    'prometheus',
    'prometheusremotewrite',
    'zipkin',
  ],
  extensions: ['zpages', 'health_check', 'pprof'],
} as const;
const KINDS = ['receivers', 'processors', 'exporters', 'extensions'] as const;

const parts = z.record(z.string(), z.unknown());
const names = z.array(z.string());
const config = z
  .strictObject({
    receivers: parts,
    processors: parts,
    exporters: parts,
    extensions: parts,
    service: z.strictObject({
      extensions: names,
      pipelines: z.record(
        z.string(),
        z.strictObject({ receivers: names, processors: names, exporters: names }),
      ),
    }),
  })
  .parse(readYaml('otel-collector.yaml'));

test('the collector has only what its core image has', () => {
  const unknown = KINDS.flatMap((kind) => {
    const known: readonly string[] = CORE[kind];
    // What stands behind a slash tells two of a kind apart.
    return Object.keys(config[kind]).filter((name) => !known.includes(name.replace(/\/.*/, '')));
  });

  assert.deepEqual(unknown, []);
});

test('the collector uses all that it defines and defines all that it uses', () => {
  const pipelines = Object.values(config.service.pipelines);
  const used = {
    receivers: pipelines.flatMap(({ receivers }) => receivers),
    processors: pipelines.flatMap(({ processors }) => processors),
    exporters: pipelines.flatMap(({ exporters }) => exporters),
    extensions: config.service.extensions,
  };

  for (const kind of KINDS) {
    assert.deepEqual(Object.keys(config[kind]).toSorted(), used[kind].toSorted(), kind);
  }
});

test('the collector limits its memory before anything else', () => {
  for (const [name, { processors }] of Object.entries(config.service.pipelines)) {
    assert.equal(processors[0], 'memory_limiter', name);
  }
});

test('the collector takes both kinds of OTLP, from other containers too', () => {
  assert.deepEqual(config.receivers, {
    otlp: {
      protocols: { grpc: { endpoint: '0.0.0.0:4317' }, http: { endpoint: '0.0.0.0:4318' } },
    },
  });
});
