import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { playBurst } from '../../src/cli/demo.ts';
import { until } from '../rig/polling.ts';
import { type ExampleJano, startExampleJano } from './exampleJano.ts';
import { startJaeger } from './jaeger.ts';
import { OTEL_COLLECTOR, startOtelCollector, validateConfig } from './otelCollector.ts';
import { drawTrace, linkedBy } from './spanTree.ts';
import { checkTraces, namesOf, untilAllStored, untilStored } from './storedTraces.ts';

/** Where the programs are. */
export interface StackPrograms {
  readonly collector: string;
  readonly jaeger: string;
}

const COMPOSE = join(import.meta.dirname, '../../docker-compose.yml');
const TIMEOUT_MS = 300_000;

/** One to load a model, and the burst itself. */
const DEMO_REQUESTS = 7;

/** For two of the example models, so that they swap. */
const BURST = ['chat', 'code', 'chat', 'code'] as const;
const SERVED = '200 whole';

const CALLERS = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

/** One of each kind: the connection that broke, and the one that is refused. */
const MOST_COMPLAINTS = 2;

/** Jano, the collector and Jaeger, together and without one another. */
export function playStack(programs: StackPrograms): void {
  test('the stack', { timeout: TIMEOUT_MS }, async (t) => {
    const jaeger = await startJaeger(t, programs.jaeger);
    const collector = await startOtelCollector(t, programs.collector, jaeger.otlp);
    const jano = await startExampleJano(t, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.httpUrl });

    await t.test('the collector is of the version that docker-compose.yml names', async () => {
      const name = `image: otel/opentelemetry-collector:${OTEL_COLLECTOR.version}\n`;
      assert.ok((await readFile(COMPOSE, 'utf8')).includes(name), name);
    });

    await t.test('it takes otel-collector.yaml and complains of nothing', async () => {
      assert.equal(await validateConfig(programs.collector), '');
      assert.doesNotMatch(collector.output(), /\t(?:warn|error)\t/);
    });

    await t.test('the demo is in Jaeger', async (demo) => {
      await playBurst(jano.url, 'the example model servers', print);
      await until('it is recorded', async () => (await jano.requests()).length === DEMO_REQUESTS);

      const spans = await untilAllStored(jano, jaeger.api);
      await checkTraces(demo, jano, spans);
      const waiting = spans.filter(({ links }) => links.length > 0).slice(0, 1);
      for (const span of [...waiting, ...waiting.flatMap((other) => linkedBy(spans, other))]) {
        print(`\n${drawTrace(spans, span.traceId)}\n`);
      }
    });

    await t.test('a caller that has a trace finds its request in it', async () => {
      const traceparent = `00-${CALLERS.traceId}-${CALLERS.spanId}-01`;

      assert.equal((await jano.ask('chat', { traceparent })).answer, SERVED);

      const spans = await untilAllStored(jano, jaeger.api);
      const inTrace = spans.filter(({ traceId }) => traceId === CALLERS.traceId);
      const below = inTrace.filter(({ parentSpanId }) => parentSpanId === CALLERS.spanId);
      assert.deepEqual(namesOf(below), ['chat chat']);
      assert.deepEqual(namesOf(inTrace).toSorted(), ['chat chat', 'queue', 'upstream']);
    });

    await t.test('over gRPC they come as well, under the name that was given', async (grpc) => {
      const other = await startExampleJano(grpc, {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.grpcUrl,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
        OTEL_SERVICE_NAME: 'other',
      });

      assert.equal((await other.ask('chat')).answer, SERVED);

      const names = namesOf(await untilAllStored(other, jaeger.api, 'other'));
      const expected = ['chat chat', 'queue', 'ready', 'script', 'swap chat', 'upstream'];
      assert.deepEqual(names.toSorted(), expected);
      assert.deepEqual(await other.stop(), { code: 0, signal: null });
    });

    await t.test('without Jaeger no request suffers, and what it missed comes later', async () => {
      const missed = await askWhile(jano, () => jaeger.kill());

      await until('the collector misses it', () => /Will retry/.test(collector.output()));
      assert.deepEqual(jano.complaints(), []);
      await jaeger.restart();
      await untilStored(jaeger.api, missed);
    });

    await t.test('without the collector no request suffers, and the log says it once', async () => {
      await askWhile(jano, () => collector.kill());

      await until('Jano misses it', () => jano.complaints().length > 0);
      await askWhile(jano, () => undefined);
      for (const complaint of jano.complaints()) print(complaint);
      assert.ok(jano.complaints().length <= MOST_COMPLAINTS);
    });

    await t.test('once it is back so are the traces, and Jano ends in order', async () => {
      await collector.restart();

      await untilStored(jaeger.api, await askWhile(jano, () => undefined));
      assert.deepEqual(await jano.stop(), { code: 0, signal: null });
    });
  });
}

/** Has a burst under way while something happens; all of it is served. Gives the ids. */
async function askWhile(jano: ExampleJano, act: () => unknown): Promise<number[]> {
  const answers = Promise.all(BURST.map((model) => jano.ask(model)));
  await act();
  const asked = await answers;
  assert.deepEqual(
    asked.map(({ answer }) => answer),
    BURST.map(() => SERVED),
  );
  return asked.map(({ id }) => id);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
