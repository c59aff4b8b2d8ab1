import {
  AlwaysOnSampler,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { createTelemetry, type Telemetry } from '../../src/telemetry/telemetry.ts';

/** Real OpenTelemetry without globals, whose spans stay here. */
export interface TestTelemetry {
  readonly telemetry: Telemetry;
  /** Those that have ended, in the order in which they did. */
  readonly spans: () => readonly ReadableSpan[];
}

export function testTelemetry(sampler: Sampler = new AlwaysOnSampler()): TestTelemetry {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    sampler,
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('jano');
  const telemetry = createTelemetry('0.0.0-test', { tracer, shutdown: () => provider.shutdown() });
  return { telemetry, spans: () => exporter.getFinishedSpans() };
}
