import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test, type TestContext } from 'node:test';
import { SpanKind } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { Random } from '../bench/sim/random.ts';
import { openMachineRig } from '../machine/machineRig.ts';
import { until } from '../rig/polling.ts';
import { assertIdle } from '../support/aftermath.ts';
import type { FakeMachine } from '../support/machine.ts';
import { scrape } from '../support/scrape.ts';
import type { RunningJano } from '../support/startJano.ts';
import { testTelemetry } from '../support/telemetry.ts';
import {
  type CallerRow,
  callersOf,
  findDisagreements,
  findOddities,
  swapsSparedIn,
  totalsOf,
} from './accounts.ts';
import { Collected } from './collected.ts';
import { answerByMood } from './moods.ts';
import { MODELS, PINNED, play } from './traffic.ts';

const REQUESTS = 200;
const ROUNDS = 3;
const SEED = Number(process.env['JANO_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Of each nine runs of the script the first two fail, and one hangs. */
const MOODY_SCRIPT = `
n=$(cat runs 2>/dev/null || echo 0)
echo $((n + 1)) > runs
case $((n % 9)) in
  0 | 1) echo 'out of memory' >&2; exit 1 ;;
  5) sleep 60 ;;
esac`;

interface Audited {
  readonly jano: RunningJano;
  readonly machine: FakeMachine;
  readonly collected: Collected;
  readonly spans: () => readonly ReadableSpan[];
  /** Requests that have reached Jano and have a right to a record. */
  readonly arrivals: () => number;
}

/** Jano with everything that counts, in front of a machine on which much goes wrong. */
async function openAudited(t: TestContext): Promise<Audited> {
  const { telemetry, spans } = testTelemetry();
  const collected = new Collected();
  const { jano, machine } = await openMachineRig(t, MODELS, {
    resident: ['a', PINNED],
    answer: answerByMood,
    script: MOODY_SCRIPT,
    models: { [PINNED]: { pinned: true }, a: { parallel: 2 } },
    swap: { timeout: '500ms' },
    policy: { minTurnMs: 50, maxTurnMs: 400, refuseMs: 100, toolLingerMs: 10 },
    config: { queue: { maxWaiting: 12, timeout: '2s' } },
    surroundings: { telemetry, log: collected },
  });
  let arrivals = 0;
  const count = ({ method, headers }: IncomingMessage): void => {
    if (headers['x-mood'] !== undefined && method !== 'OPTIONS') arrivals += 1;
  };
  jano.server.on('request', count);
  return { jano, machine, collected, spans, arrivals: () => arrivals };
}

/** Resolves once nothing waits, runs or is loaded, and each arrival has had its record. */
async function untilOver({ jano, collected, arrivals }: Audited): Promise<void> {
  await until('all is over', () => {
    const { waiting, running, swap, models } = jano.snapshot();
    const isBusy = models.some(({ inFlight, presence }) => inFlight > 0 || presence === 'loading');
    return (
      !isBusy &&
      swap === null &&
      waiting.length + running.length === 0 &&
      collected.requests.length >= arrivals()
    );
  });
}

for (let round = 1; round <= ROUNDS; round++) {
  test(`after any traffic /status, /metrics, the spans and the records tell the same, round ${round}`, async (t) => {
    t.diagnostic(`JANO_SEED=${SEED}`);
    const audited = await openAudited(t);
    const { jano, machine, collected, spans, arrivals } = audited;

    await play(jano, machine, new Random(SEED + round), REQUESTS);
    await untilOver(audited);

    assertIdle(jano);
    const outcomes = Map.groupBy(collected.requests, ({ outcome }) => outcome);
    t.diagnostic([...outcomes].map(([name, { length }]) => `${length} ${name}`).join(', '));
    assert.equal(collected.requests.length, arrivals());
    assert.equal(new Set(collected.requests.map(({ id }) => id)).size, arrivals());
    const scraped = await scrape(jano);
    assert.deepEqual(findDisagreements(scraped, collected), []);
    assert.deepEqual(findOddities(scraped), []);
    const { callers } = await read(jano, '/usage/callers');
    assert.deepEqual(Object.fromEntries(callers.map(ofCaller)), callersOf(collected));
    const status = await read(jano, '/status');
    const totals = totalsOf(collected, MODELS);
    const shown = Object.fromEntries(Object.keys(totals).map((name) => [name, status[name]]));
    assert.deepEqual(shown, totals);
    assert.equal(status.swapsAvoided, swapsSparedIn(scraped));
    assertSpans(spans(), collected);
    // It has met what it is about.
    assert.ok(collected.swaps.some(({ outcome }) => outcome !== 'ok'));
    for (const outcome of ['served', 'refused', 'failed', 'cut', 'rejected', 'abandoned'] as const)
      assert.ok(outcomes.has(outcome), outcome);
  });
}

async function read({ url }: RunningJano, path: string) {
  const response = await fetch(url + path);
  assert.equal(response.status, 200);
  return Object(await response.json());
}

/** A row of /usage/callers as `callersOf` has it. */
function ofCaller({ caller, requests, served, failed, prompt_tokens, gen_tokens }: CallerRow) {
  return [caller, [requests, served, failed, prompt_tokens, gen_tokens]] as const;
}

/** Each request is one span of kind SERVER in the trace that its record names, and each swap a root span of its own. */
function assertSpans(spans: readonly ReadableSpan[], { requests, swaps }: Collected): void {
  const servers = spans.filter(({ kind }) => kind === SpanKind.SERVER);
  assert.deepEqual(
    servers.map((span) => span.spanContext().traceId).toSorted(),
    requests.map(({ traceId }) => traceId ?? 'none').toSorted(),
  );
  const roots = spans.filter((span) => span.parentSpanContext === undefined);
  const swapRoots = roots.filter(({ kind }) => kind !== SpanKind.SERVER);
  assert.deepEqual(
    swapRoots.map(({ name }) => name).toSorted(),
    swaps.map(({ to }) => `swap ${to}`).toSorted(),
  );
}
