import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDiagnostics } from '../../src/telemetry/diagnostics.ts';
import { startTelemetry } from '../../src/telemetry/startTelemetry.ts';

type Environment = Readonly<Record<string, string>>;

/** What is said at the start; `traces` tells whether a request is traced then. */
async function startWith(environment: Environment): Promise<{ lines: string[]; traces: boolean }> {
  const lines: string[] = [];
  const telemetry = await startTelemetry('test', environment, (line) => lines.push(line));
  const traceId = telemetry.requestArrived({
    id: 1,
    arrivedAt: 0,
    traceparent: undefined,
    tracestate: undefined,
  });
  await telemetry.shutdown();
  return { lines, traces: traceId !== null };
}

const off: readonly Environment[] = [
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: ' ' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_EXPORTER: 'none' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'TRUE' },
  { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://127.0.0.1:1', OTEL_SERVICE_NAME: 'mine' },
];

for (const environment of off) {
  test(`nobody is traced with ${JSON.stringify(environment)}, and nothing is said`, async () => {
    assert.deepEqual(await startWith(environment), { lines: [], traces: false });
  });
}

for (const value of ['localhost:4318', 'notaurl', 'http//x', 'user:password@host']) {
  test(`an endpoint that is no URL is told at the start: ${value}`, async () => {
    const { lines, traces } = await startWith({ OTEL_EXPORTER_OTLP_ENDPOINT: value });

    const line =
      'traces are off: OTEL_EXPORTER_OTLP_ENDPOINT has to be a URL, such as http://127.0.0.1:4318';
    assert.deepEqual({ lines, traces }, { lines: [line], traces: false });
  });
}

const thrown = (port: number): string =>
  JSON.stringify({
    stack: 'Error: …\n    at …',
    message: `connect ECONNREFUSED 127.0.0.1:${port}`,
  });

test('a complaint that comes with every batch is told once in ten minutes', () => {
  const lines: string[] = [];
  let now = 0;
  const { error, warn, info } = createDiagnostics(
    (line) => lines.push(line),
    () => now,
  );

  for (; now < 600_000; now += 1000) {
    error(thrown(4318));
    warn(`Dropped ${now} spans because maxQueueSize reached`);
    info('of no interest');
  }
  const first = [...lines];
  error(thrown(4318));

  assert.deepEqual(first, [
    'traces: could not be sent: connect ECONNREFUSED 127.0.0.1:4318',
    'traces: Dropped 0 spans because maxQueueSize reached',
  ]);
  assert.equal(lines.length, 3);
});

test('a complaint is one short line, whatever it holds', () => {
  const lines: string[] = [];
  const { error } = createDiagnostics((line) => lines.push(line));

  error(JSON.stringify({ code: 'ECONNREFUSED', name: 'AggregateError' }));
  error(`several\nlines ${'x'.repeat(10_000)}`);

  assert.equal(lines[0], 'traces: could not be sent: ECONNREFUSED');
  assert.match(lines[1] ?? '', /^traces: several lines x{280,300}$/);
});
