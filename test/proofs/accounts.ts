import type { RequestRecord } from '../../src/core/record.ts';
import { type Scrape, sumOf, valueOf } from '../support/scrape.ts';
import type { Collected } from './collected.ts';

/** Counts by name, such as a series of /metrics or a key of /status. */
export type Counts = ReadonlyMap<string, number>;

/** May be NaN: what is not known. */
const UNKNOWABLE = /^(?:jano_backend_up|jano_(?:generation|prompt)_rate_tokens_per_second)\{/;

/** Gauges that are 0 where nobody asks for anything. */
const IDLE = /^jano_(?:queue_depth|requests_in_flight|queue_oldest_age_seconds)\b/;

/** What /metrics has to say of these records, for every series that they have. */
function countsOf({ requests, swaps }: Collected): Counts {
  const counts = new Map<string, number>();
  const add = (series: string, amount = 1): void =>
    void counts.set(series, (counts.get(series) ?? 0) + amount);
  for (const record of requests) countRequest(record, add);
  for (const { from, to, outcome } of swaps) {
    const place = from.length > 1 ? 'several' : (from[0] ?? 'none');
    add(`jano_swaps_total{from="${place}",to="${to}",outcome="${outcome}"}`);
    add(`jano_swap_duration_seconds_count{model="${to}",outcome="${outcome}"}`);
  }
  return counts;
}

function countRequest(record: RequestRecord, add: (series: string, amount?: number) => void): void {
  const { outcome, usage, unmetered, operation, dispatchedAt, firstTokenAt } = record;
  const model = record.model ?? '_other';
  add(`jano_requests_total{model="${model}",outcome="${outcome}"}`);
  for (const [type, tokens] of [
    ['input', usage?.inputTokens],
    ['output', usage?.outputTokens],
    ['cached', usage?.cachedTokens],
  ] as const) {
    if (tokens) add(`jano_tokens_total{model="${model}",type="${type}"}`, tokens);
  }
  if (unmetered !== null) add(`jano_unmetered_total{model="${model}",reason="${unmetered}"}`);
  if (dispatchedAt === null) return;
  add(`jano_queue_wait_duration_seconds_count{model="${model}"}`);
  add(`jano_swap_wait_duration_seconds_count{model="${model}"}`);
  add('jano_router_overhead_seconds_count');
  if (operation === null) return;
  const labels = `{gen_ai_request_model="${model}",gen_ai_operation_name="${operation}"}`;
  add(`gen_ai_server_request_duration_seconds_count${labels}`);
  if (firstTokenAt !== null) add(`gen_ai_server_time_to_first_token_seconds_count${labels}`);
}

/** Where a scrape says otherwise than the records: each series that counts, and the sums over all callers. */
export function findDisagreements(scrape: Scrape, collected: Collected): string[] {
  const counts = countsOf(collected);
  const names = new Set([...counts.keys()].map((series) => series.split('{', 1)[0]));
  const counted = [...scrape.values].filter(([series]) => names.has(series.split('{', 1)[0]));
  const wrong = counted.filter(([series, value]) => value !== (counts.get(series) ?? 0));
  const missing = [...counts.keys()].filter((series) => !scrape.values.has(series));
  const { requests } = collected;
  const tokens = sumOf(scrape, 'jano_tokens_total');
  const sums: readonly (readonly [string, number, number])[] = [
    ['requests of callers', sumOf(scrape, 'jano_caller_requests_total'), requests.length],
    ['tokens of callers', sumOf(scrape, 'jano_caller_tokens_total'), tokens],
  ];
  return [
    ...wrong.map(([series, value]) => `${series} is ${value}, not ${counts.get(series) ?? 0}`),
    ...missing.map((series) => `${series} is missing, not ${counts.get(series)}`),
    ...sums
      .filter(([, is, was]) => is !== was)
      .map(([what, is, was]) => `${what}: ${is}, not ${was}`),
  ];
}

/** The swaps that the order spared, as the README has Prometheus tell them. */
export function swapsSparedIn(scrape: Scrape): number {
  const arrivalOrder = valueOf(scrape, 'jano_swaps_arrival_order_total');
  return arrivalOrder - sumOf(scrape, 'jano_swaps_total', 'outcome="ok"');
}

/** Series that are negative, that are not numbers though they have to be, or that are not 0 while nobody asks for anything. */
export function findOddities({ values }: Scrape): string[] {
  const odd = [...values].filter(
    ([series, value]) =>
      value < 0 ||
      !(Number.isFinite(value) || (Number.isNaN(value) && UNKNOWABLE.test(series))) ||
      (IDLE.test(series) && value !== 0),
  );
  return odd.map(([series, value]) => `${series} is ${value}`);
}

/** What GET /status has to say of the records, under its own names. */
export function totalsOf({ requests, swaps }: Collected, models: readonly string[]) {
  const served = requests.filter(({ outcome }) => outcome === 'served');
  const byModel = (of: (records: readonly RequestRecord[]) => number) =>
    Object.fromEntries(
      models.map((model) => [model, of(requests.filter((record) => record.model === model))]),
    );
  const wentWrong = requests.filter(({ outcome }) => outcome === 'failed' || outcome === 'cut');
  const failedSwaps = swaps.filter(({ outcome }) => outcome !== 'ok');
  return {
    queueDepth: 0,
    inFlight: 0,
    oldestWaitingMs: 0,
    waiting: [],
    running: [],
    swap: null,
    requestsServedTotal: served.length,
    requestsByModel: byModel(
      (records) => records.filter(({ outcome }) => outcome === 'served').length,
    ),
    tokensGeneratedTotal: outputOf(requests),
    tokensByModel: byModel(outputOf),
    promptTokensTotal: sum(requests.map(({ usage }) => usage?.inputTokens ?? 0)),
    errorsLast15m: wentWrong.length + failedSwaps.length,
    swapsTotal: swaps.length - failedSwaps.length,
    swapFailuresTotal: failedSwaps.length,
    unmeteredTotal: requests.filter(({ unmetered }) => unmetered !== null).length,
  };
}

/** A row of GET /usage/callers, as far as it counts. */
export type CallerRow = Readonly<
  Record<'requests' | 'served' | 'failed' | 'prompt_tokens' | 'gen_tokens', number>
> & { readonly caller: string };

/** What it has to say of each caller: requests, served, failed or cut, input and output tokens. */
export function callersOf({ requests }: Collected): Record<string, readonly number[]> {
  const byCaller = Map.groupBy(requests, ({ caller }) => caller);
  return Object.fromEntries(
    [...byCaller].map(([caller, records]) => {
      const count = (...outcomes: readonly string[]): number =>
        records.filter(({ outcome }) => outcomes.includes(outcome)).length;
      const input = sum(records.map(({ usage }) => usage?.inputTokens ?? 0));
      const served = count('served');
      return [caller, [records.length, served, count('failed', 'cut'), input, outputOf(records)]];
    }),
  );
}

function outputOf(records: readonly RequestRecord[]): number {
  return sum(records.map(({ usage }) => usage?.outputTokens ?? 0));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
