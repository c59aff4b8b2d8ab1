import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { findFreePorts } from '../../src/cli/freePorts.ts';
import type { GoProgram } from '../rig/goTool.ts';
import { run } from '../rig/tool.ts';
import { type Daemon, startDaemon } from './daemon.ts';

/** A real OpenTelemetry collector with the committed config. */
export interface OtelCollector extends Daemon {
  /** Where it takes OTLP over HTTP. */
  readonly httpUrl: string;
  /** Where it takes OTLP over gRPC. */
  readonly grpcUrl: string;
}

const CONFIG = join(import.meta.dirname, '../../otel-collector.yaml');
const VERSION = '0.160.0';
/** What of it is stable has a number of its own; the two go together. */
const STABLE_VERSION = '1.66.0';

const CORE = 'go.opentelemetry.io/collector';
const CONTRIB = 'github.com/open-telemetry/opentelemetry-collector-contrib';

/** Of what the core image holds, those that the config could use: not all of it can be had as Go modules. */
const manifest = {
  dist: { name: 'otelcol', module: 'jano.stack/otelcol', output_path: '.', version: VERSION },
  receivers: [{ gomod: `${CORE}/receiver/otlpreceiver v${VERSION}` }],
  processors: [
    { gomod: `${CORE}/processor/batchprocessor v${VERSION}` },
    { gomod: `${CORE}/processor/memorylimiterprocessor v${VERSION}` },
  ],
  exporters: [
    { gomod: `${CORE}/exporter/debugexporter v${VERSION}` },
    { gomod: `${CORE}/exporter/otlpexporter v${VERSION}` },
    { gomod: `${CORE}/exporter/otlphttpexporter v${VERSION}` },
  ],
  extensions: [{ gomod: `${CONTRIB}/extension/healthcheckextension v${VERSION}` }],
  providers: ['env', 'file', 'yaml'].map((name) => ({
    gomod: `${CORE}/confmap/provider/${name}provider v${STABLE_VERSION}`,
  })),
};

/** The collector as its own builder makes it. */
export const OTEL_COLLECTOR: GoProgram = {
  name: 'otelcol',
  version: VERSION,
  // JSON is YAML.
  files: { 'manifest.yaml': JSON.stringify(manifest, null, 2) },
  steps: [['run', `${CORE}/cmd/builder@v${VERSION}`, '--config=manifest.yaml']],
};

/** What it complains of in the committed config; rejects where it would not start with it. */
export async function validateConfig(path: string): Promise<string> {
  const { stdout, stderr } = await run(path, ['validate', `--config=${CONFIG}`]);
  return stdout + stderr;
}

/** Starts it with the committed config, on free ports, to send what it gets to host:port. */
export async function startOtelCollector(
  t: TestContext,
  path: string,
  target: string,
): Promise<OtelCollector> {
  const [grpc, http, health] = (await findFreePorts(3)).map((port) => `127.0.0.1:${port}`);
  const settings = [
    `receivers::otlp::protocols::grpc::endpoint: ${grpc}`,
    `receivers::otlp::protocols::http::endpoint: ${http}`,
    `extensions::health_check::endpoint: ${health}`,
    // Its own numbers would be on a fixed port.
    'service::telemetry::metrics::level: none',
  ];
  const daemon = await startDaemon(t, {
    path,
    args: [CONFIG, ...settings.map((setting) => `yaml:${setting}`)].map(
      (source) => `--config=${source}`,
    ),
    environment: { TRACES_ENDPOINT: target },
    healthUrl: `http://${health}`,
  });
  return { ...daemon, httpUrl: `http://${http}`, grpcUrl: `http://${grpc}` };
}
