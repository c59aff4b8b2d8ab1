import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { z } from 'zod';
import { until } from '../rig/polling.ts';
import { type ReceivedSpan, startCollector, startMuteCollector } from '../support/collector.ts';
import { REFUSING_URL } from '../support/fakeBackend.ts';
import { createFolder } from '../support/folder.ts';
import { type Program, startProgram } from '../support/program.ts';

/** Batches leave at once, in JSON. */
const EAGER = { OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };

/** Far longer than the test may last. */
const FOR_EVER = '3600000';

interface Example {
  readonly program: Program;
  readonly url: string;
}

/** Jano as its users start it, on its example models. */
async function startExample(
  t: TestContext,
  environment: Readonly<Record<string, string>>,
): Promise<Example> {
  const program = startProgram(t, createFolder('program'), [], environment);
  const [, url = ''] = await program.until(/listens on (http:\/\/127\.0\.0\.1:\d+)/);
  return { program, url };
}

async function ask({ url }: Example, model: string): Promise<number> {
  const messages = [{ role: 'user', content: 'a secret' }];
  const body = JSON.stringify({ model, stream: true, max_tokens: 5, messages });
  const response = await fetch(`${url}/v1/chat/completions?key=secret`, { method: 'POST', body });
  await response.text();
  return response.status;
}

/** It ends in order, with all that it started. */
async function stop({ program }: Example): Promise<void> {
  process.kill(program.pid, 'SIGTERM');
  assert.deepEqual(await program.ended, { code: 0, signal: null });
}

function linesOf({ program }: Example): string[] {
  return program
    .output()
    .split('\n')
    .filter((line) => line.includes('traces'));
}

const usage = z.object({
  records: z.array(
    z.object({
      id: z.number(),
      trace_id: z.string(),
      ts: z.string(),
      total_ms: z.number(),
      queue_ms: z.number(),
      model: z.string(),
      outcome: z.string(),
      prompt_tokens: z.number().nullable(),
      gen_tokens: z.number().nullable(),
    }),
  ),
});

function byId(a: { id?: unknown }, b: { id?: unknown }): number {
  return Number(a.id) - Number(b.id);
}

/** What a span of a request says, in the words of /usage. */
function asRecord({
  traceId,
  startedAt,
  endedAt,
  attributes,
}: ReceivedSpan): Record<string, unknown> {
  return {
    id: attributes['jano.request.id'],
    trace_id: traceId,
    ts: new Date(endedAt).toISOString(),
    total_ms: endedAt - startedAt,
    queue_ms: Math.round(Number(attributes['jano.queue.wait']) * 1000),
    model: attributes['gen_ai.request.model'],
    outcome: attributes['jano.outcome'],
    prompt_tokens: attributes['gen_ai.usage.input_tokens'] ?? null,
    gen_tokens: attributes['gen_ai.usage.output_tokens'] ?? null,
  };
}

test('a collector gets what /usage says: one trace for each request, the swaps that they waited for', async (t) => {
  const collector = await startCollector(t);
  const jano = await startExample(t, { ...EAGER, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });

  await Promise.all(['chat', 'code', 'chat', 'code'].map((model) => ask(jano, model)));
  const { records } = usage.parse(await (await fetch(`${jano.url}/usage`)).json());
  await stop(jano);

  const requests = collector.spans.filter(({ name }) => /^chat (?:chat|code)$/.test(name));
  assert.deepEqual(requests.map(asRecord).toSorted(byId), records.toSorted(byId));
  assert.ok(records.every(({ gen_tokens }) => Number(gen_tokens) > 0));
  const swaps = collector.spans.filter(({ name }) => name.startsWith('swap '));
  assert.ok(swaps.length > 0);
  const links = new Set(requests.flatMap((request) => request.links));
  for (const { traceId, spanId } of swaps) assert.ok(links.has(`${traceId}/${spanId}`));
  assert.deepEqual(new Set(collector.paths), new Set(['POST /v1/traces']));
  assert.deepEqual(linesOf(jano), []);
});

test('what is left goes at the stop, and nothing else leaves: no command line, no host, no words of anybody’s', async (t) => {
  const collector = await startCollector(t);
  const jano = await startExample(t, {
    ...EAGER,
    OTEL_BSP_SCHEDULE_DELAY: FOR_EVER,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/here`,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=home',
    OTEL_SERVICE_NAME: 'mine',
  });

  await ask(jano, 'chat');
  assert.equal(collector.paths.length, 0);
  await stop(jano);

  const [span] = collector.spans;
  assert.deepEqual(Object.keys(span?.resource ?? {}).toSorted(), [
    'deployment.environment.name',
    'service.instance.id',
    'service.name',
    'service.version',
    'telemetry.sdk.language',
    'telemetry.sdk.name',
    'telemetry.sdk.version',
  ]);
  assert.equal(span?.resource['service.name'], 'mine');
  assert.deepEqual(new Set(collector.paths), new Set(['POST /here']));
  assert.doesNotMatch(JSON.stringify(collector.spans), /secret/);
});

test('a collector that is not there costs one line, no request and no stop', async (t) => {
  const jano = await startExample(t, {
    ...EAGER,
    OTEL_EXPORTER_OTLP_ENDPOINT: REFUSING_URL,
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
  });

  assert.equal(await ask(jano, 'chat'), 200);
  await jano.program.until(/traces: .*ECONNREFUSED 127\.0\.0\.1:1\b.*/);
  for (let more = 0; more < 3; more++) assert.equal(await ask(jano, 'chat'), 200);
  await stop(jano);

  assert.equal(linesOf(jano).length, 1, jano.program.output());
});

test('a collector that never answers holds up no request and no stop', async (t) => {
  const collector = await startMuteCollector(t);
  const jano = await startExample(t, {
    ...EAGER,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_TIMEOUT: FOR_EVER,
    OTEL_BSP_EXPORT_TIMEOUT: FOR_EVER,
  });

  assert.equal(await ask(jano, 'chat'), 200);
  await collector.reached;
  assert.equal(await ask(jano, 'chat'), 200);
  await stop(jano);

  assert.deepEqual(linesOf(jano), []);
});

test('switched off by OTEL_SDK_DISABLED, /metrics says so and everything else goes on', async (t) => {
  const collector = await startCollector(t);
  const jano = await startExample(t, {
    ...EAGER,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SDK_DISABLED: 'true',
  });

  assert.equal(await ask(jano, 'chat'), 200);
  const told = await fetch(`${jano.url}/metrics`);

  assert.equal(told.status, 503);
  assert.equal(await told.text(), 'metrics are off: OTEL_SDK_DISABLED is set\n');
  await until('it is recorded', async () => {
    const { records } = z
      .object({ records: z.array(z.unknown()) })
      .parse(await (await fetch(`${jano.url}/usage`)).json());
    return records.length === 1;
  });
  assert.equal((await fetch(`${jano.url}/status`)).status, 200);
  await stop(jano);
  assert.deepEqual(collector.spans, []);
});
