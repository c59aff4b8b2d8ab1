import { diag, DiagLogLevel, trace } from '@opentelemetry/api';
import { globalErrorHandler } from '@opentelemetry/core';
import {
  defaultResource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { createDiagnostics } from './diagnostics.ts';
import { createNoTelemetry, createTelemetry, type Telemetry, type Traces } from './telemetry.ts';

/** As `process.env`. */
type Environment = Readonly<Record<string, string | undefined>>;

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'];

/** How long the end may wait for a collector. */
const LAST_BATCH_MS = 2000;

/**
 * Telemetry as the OTEL_* variables of this process want it: metrics unless OTEL_SDK_DISABLED, traces once an exporter or
 * an endpoint is named. `tell` gets a line for people where something is wrong; nothing of it keeps Jano from starting.
 */
export async function startTelemetry(
  version: string,
  environment: Environment,
  tell: (line: string) => void,
  onMistake: (error: unknown) => void = console.error,
): Promise<Telemetry> {
  if (valueOf(environment, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') {
    return createNoTelemetry('metrics are off: OTEL_SDK_DISABLED is set');
  }
  if (!wantsTraces(environment)) return createTelemetry(version, null, onMistake);
  const problem = problemWith(environment);
  if (problem !== null) {
    tell(`traces are off: ${problem}`);
    return createTelemetry(version, null, onMistake);
  }
  return createTelemetry(version, await startTraces(version, environment, tell), onMistake);
}

function wantsTraces(environment: Environment): boolean {
  const exporters = valueOf(environment, 'OTEL_TRACES_EXPORTER');
  if (exporters !== undefined) return exporters.split(',')[0]?.trim() !== 'none';
  return ENDPOINTS.some((name) => valueOf(environment, name) !== undefined);
}

/** The exporters would say nothing, and send to another place or to none. A value may hold a password: it is not repeated. */
function problemWith(environment: Environment): string | null {
  const endpoint = ENDPOINTS.find((name) => valueOf(environment, name) !== undefined);
  const protocol = PROTOCOLS.map((name) => valueOf(environment, name)).find(Boolean);
  if (endpoint === undefined || protocol === 'grpc') return null;
  const url = URL.parse(valueOf(environment, endpoint) ?? '');
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return null;
  return `${endpoint} has to be a URL, such as http://127.0.0.1:4318`;
}

async function startTraces(
  version: string,
  environment: Environment,
  tell: (line: string) => void,
): Promise<Traces> {
  // With a level of their own they get the SDK's own lines.
  if (valueOf(environment, 'OTEL_LOG_LEVEL') === undefined) {
    diag.setLogger(createDiagnostics(tell), DiagLogLevel.WARN);
  }
  // Not before it is wanted: it takes a quarter of a second and 40 MB.
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.name': 'jano', 'service.version': version }),
    ),
    // Not the default ones, which tell the command line; the environment's come last, so that they win.
    resourceDetectors: [
      serviceInstanceIdDetector,
      resourceAttributesEnvDetector,
      serviceNameEnvDetector,
    ],
    // What is not named here goes to localhost:4318.
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  return {
    tracer: trace.getTracer('jano', version),
    async shutdown() {
      const { promise: tooLate, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, LAST_BATCH_MS);
      await Promise.race([sdk.shutdown().catch(globalErrorHandler), tooLate]);
      clearTimeout(timer);
    },
  };
}

/** What is empty counts as not set, as the SDK has it. */
function valueOf(environment: Environment, name: string): string | undefined {
  return environment[name]?.trim() || undefined;
}
