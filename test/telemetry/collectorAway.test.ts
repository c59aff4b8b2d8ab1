import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { startTelemetry } from '../../src/telemetry/startTelemetry.ts';
import type { Telemetry } from '../../src/telemetry/telemetry.ts';
import { measureFootprint } from '../soak/footprint.ts';
import { startMuteCollector } from '../support/collector.ts';
import { requestRecord } from '../support/records.ts';

/** The SDK's queue of 2048 spans takes a few of them, and may be empty at first; all spans of the test take hundreds. */
const MOST_BYTES = 40_000_000;

/** Makes the spans of so many requests. */
async function trace(telemetry: Telemetry, count: number): Promise<void> {
  for (let id = 0; id < count; id++) {
    telemetry.requestArrived({
      id,
      arrivedAt: 1000,
      traceparent: undefined,
      tracestate: undefined,
    });
    telemetry.requestForwarded(id, 2000);
    telemetry.recorder.requestClosed(requestRecord({ id }));
    if (id % 100 === 0) await setImmediate();
  }
}

test('what a collector that never answers is not sent is bounded', async (t) => {
  const { url, reached } = await startMuteCollector(t);
  // The SDK reads those of the process; it gives up on a batch after a second.
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: '1000' };
  Object.assign(process.env, environment);
  t.after(() => {
    for (const name of Object.keys(environment)) delete process.env[name];
  });
  const telemetry = await startTelemetry('test', environment, () => undefined);
  t.after(() => telemetry.shutdown());
  await trace(telemetry, 5000);
  await reached;
  const before = measureFootprint().heldBytes;

  await trace(telemetry, 50_000);

  assert.ok(measureFootprint().heldBytes - before < MOST_BYTES);
});
