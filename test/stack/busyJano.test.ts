import { test } from 'node:test';
import { EIGHT_MODELS, ONE_MODEL, startBusyJano } from '../rig/busyJano.ts';
import { until } from '../rig/polling.ts';
import { type Scrape, scrape } from '../support/scrape.ts';

/** Seven counters, ten gauges, seven histograms. */
const FAMILIES = 24;

/** Labels that each have a series of their own once they happened. */
const EIGHT_LABELS = [
  ...'served refused failed cut rejected abandoned'
    .split(' ')
    .map((outcome) => `jano_requests_total{outcome="${outcome}"}`),
  ...'input output cached'.split(' ').map((type) => `jano_tokens_total{type="${type}"}`),
  ...'no_usage not_json unreadable'
    .split(' ')
    .map((reason) => `jano_unmetered_total{reason="${reason}"}`),
  'jano_swaps_total{outcome="script_failed"}',
  'gen_ai_server_request_duration_seconds_count{gen_ai_operation_name="embeddings"}',
];

for (const models of [EIGHT_MODELS, ONE_MODEL]) {
  test(`a busy Jano with ${models.length} model(s) fills every metric in Prometheus`, async (t) => {
    const busy = await startBusyJano(t, { models });
    if (busy === null) return;
    const { ask } = busy.prometheus;
    const untilSome = (query: string): Promise<void> =>
      until(`${query} is more than 0`, async () => (await ask(`count(${query} > 0)`)) !== null);
    let told: Scrape = await scrape(busy.jano);
    await until('all metrics are told', async () => {
      told = await scrape(busy.jano);
      return told.types.size === FAMILIES;
    });

    for (const [name, type] of told.types) {
      await untilSome(`max_over_time(${name}${type === 'histogram' ? '_sum' : ''}[5m])`);
    }
    if (models === EIGHT_MODELS) for (const series of EIGHT_LABELS) await untilSome(series);
    const saved = 'jano_swaps_arrival_order_total > on() sum(jano_swaps_total{outcome="ok"})';
    if (models === EIGHT_MODELS) await untilSome(saved);

    await busy.stop();
    const gone = 'sum(jano_queue_depth) + sum(jano_requests_in_flight)';
    await until('nobody is left', async () => (await ask(gone)) === 0);
  });
}
