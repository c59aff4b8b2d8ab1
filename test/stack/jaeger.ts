import type { TestContext } from 'node:test';
import { findFreePorts } from '../../src/cli/freePorts.ts';
import type { GoProgram } from '../rig/goTool.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import { JaegerApi } from './jaegerApi.ts';

/** A real Jaeger with an empty store in its memory; that is gone when it is killed. */
export interface Jaeger extends Daemon {
  /** Where it takes OTLP over gRPC, as host:port. */
  readonly otlp: string;
  readonly api: JaegerApi;
}

const VERSION = '1.76.0';
const COMMAND = 'github.com/jaegertracing/jaeger/cmd/jaeger';

/** Jaeger 2 without its pages. Its modules carry the number of Jaeger 1, and its own replacements keep `go install` from it. */
export const JAEGER: GoProgram = {
  name: 'jaeger',
  version: VERSION,
  files: { 'go.mod': 'module jano.stack/jaeger\n' },
  steps: [
    ['get', '-tool', `${COMMAND}@v${VERSION}`],
    ['build', '-trimpath', '-ldflags=-s -w', '-o', 'jaeger', COMMAND],
  ],
};

/** Starts it as it is without a config, but on free ports and with nothing that is not asked for here. */
export async function startJaeger(t: TestContext, path: string): Promise<Jaeger> {
  const [otlp, api, grpcApi, health] = (await findFreePorts(4)).map((port) => `127.0.0.1:${port}`);
  const settings = [
    'service.extensions=[jaeger_storage, jaeger_query, healthcheckv2]',
    'service.pipelines.traces.receivers=[otlp]',
    'service.telemetry.metrics.level=none',
    `receivers.otlp.protocols.grpc.endpoint=${otlp}`,
    'receivers.otlp.protocols.http.endpoint=127.0.0.1:0',
    `extensions.jaeger_query.http.endpoint=${api}`,
    `extensions.jaeger_query.grpc.endpoint=${grpcApi}`,
    `extensions.healthcheckv2.http.endpoint=${health}`,
  ];
  const daemon = await startDaemon(t, {
    path,
    args: settings.map((setting) => `--set=${setting}`),
    environment: {},
    healthUrl: `http://${health}/status`,
  });
  return { ...daemon, otlp: `${otlp}`, api: new JaegerApi(`http://${api}`) };
}
