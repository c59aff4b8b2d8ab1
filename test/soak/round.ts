import type { RequestRecord } from '../../src/core/record.ts';
import { Random } from '../bench/sim/random.ts';
import { until } from '../rig/polling.ts';
import { makeErrand, plainErrand } from './errand.ts';
import { runErrand } from './soakCaller.ts';
import { MODELS, type SoakMachine } from './soakMachine.ts';
import { findFault } from './verdict.ts';

export interface RoundPlan {
  readonly seed: number;
  readonly requests: number;
  readonly callers: number;
}

export interface RoundResult {
  readonly outcomes: ReadonlyMap<string, number>;
  readonly kills: number;
  readonly slowestWaitMs: number;
  readonly violations: readonly string[];
}

/** One server is killed for so many requests. */
const REQUESTS_PER_KILL = 60;

/** Plays a round: many callers at once, some of whom leave, while servers die. Afterwards all models are served. */
export async function playRound(machine: SoakMachine, plan: RoundPlan): Promise<RoundResult> {
  const random = new Random(plan.seed);
  const outcomes = new Map<string, number>();
  const violations: string[] = [];
  let slowestWaitMs = 0;
  let kills = 0;
  let done = 0;
  const killNowAndThen = async (): Promise<void> => {
    done += 1;
    if (done % REQUESTS_PER_KILL === 0 && (await machine.killOne(random)) !== null) kills += 1;
  };
  const call = async (name: string, count: number, own: Random): Promise<void> => {
    const favourite = own.pick(MODELS);
    let lastId = newestId(machine);
    for (let left = count; left > 0; left -= 1) {
      const errand = makeErrand(own, favourite);
      const seen = await runErrand(machine, name, errand);
      const records = recordsOf(machine, name, lastId);
      lastId = Math.max(lastId, ...records.map(({ id }) => id));
      const fault = findFault(errand, seen, records);
      const told = `${name}, ${errand.shape} for "${errand.model}", ${errand.leaving.kind}`;
      if (fault !== null) violations.push(`${told}: ${fault} (${JSON.stringify(records)})`);
      const [record] = records;
      const outcome = record?.outcome ?? 'never arrived';
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (record !== undefined) slowestWaitMs = Math.max(slowestWaitMs, waitOf(record));
      await killNowAndThen();
    }
  };
  const each = Math.ceil(plan.requests / plan.callers);
  const callers = Array.from({ length: plan.callers }, (_, index) =>
    call(`caller ${index} of ${plan.seed}`, each, new Random(plan.seed + 7919 * (index + 1))),
  );
  await Promise.all(callers);
  for (const model of MODELS) {
    await untilServed(machine, model).catch((error: unknown) => violations.push(String(error)));
  }
  violations.push(...(await findLeftovers(machine)));
  return { outcomes, kills, slowestWaitMs, violations };
}

function newestId({ jano }: SoakMachine): number {
  return jano.snapshot().ledger.requests.newest(1)[0]?.id ?? 0;
}

function recordsOf({ jano }: SoakMachine, caller: string, afterId: number): RequestRecord[] {
  const records = jano.snapshot().ledger.requests.newest();
  return records.filter((record) => record.caller === caller && record.id > afterId);
}

function waitOf({ arrivedAt, dispatchedAt, endedAt }: RequestRecord): number {
  return (dispatchedAt ?? endedAt) - arrivedAt;
}

/** A model may be refused for a while yet, and a run of the script fail once more. */
async function untilServed(machine: SoakMachine, model: string): Promise<void> {
  await until(`"${model}" is served again`, async () => {
    const seen = await runErrand(machine, 'afterwards', plainErrand(model));
    return seen.kind === 'whole' && seen.status === 200;
  });
}

/** What must not be there when nobody asks for anything. */
async function findLeftovers(machine: SoakMachine): Promise<string[]> {
  const { jano } = machine;
  const left: string[] = [];
  const { models, waiting, running, swap } = jano.snapshot();
  for (const model of models) {
    if (model.waiting !== 0) left.push(`${model.waiting} wait for "${model.model}"`);
    if (model.inFlight !== 0) left.push(`${model.inFlight} in flight at "${model.model}"`);
  }
  if (waiting.length > 0) left.push(`${waiting.length} shown as waiting`);
  if (running.length > 0) left.push(`${running.length} shown as running`);
  if (swap !== null) left.push(`a swap to "${swap.to}" goes on`);
  const connections = machine.connectionCount();
  if (connections > 0) left.push(`${connections} connections to callers`);
  const servers = await machine.running();
  if (servers.length > 1) left.push(`${servers.join(' and ')} run, where one has room`);
  return left;
}
