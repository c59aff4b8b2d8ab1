import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { openMachineRig } from '../machine/machineRig.ts';
import { readStatus } from '../machine/statusView.ts';
import { type Scrape, scrape, sumOf } from '../support/scrape.ts';
import type { RunningJano } from '../support/startJano.ts';
import { answerByMood, moods } from './moods.ts';

const REQUESTS_PER_SWAP = 17;
const SWAPS_PER_SCRAPE = 20;
const AT_ONCE = 50;

/** Sends chat requests over kept connections. */
export function createCaller(t: TestContext, { port }: RunningJano) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  t.after(() => agent.destroy());
  return async (model: string, caller: string, mood: string): Promise<number> => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const outgoing = request({
      agent,
      port,
      method: 'POST',
      path: moods[mood]?.path ?? '/v1/chat/completions',
      headers: { 'X-Caller': caller, 'X-Mood': mood },
    });
    outgoing.once('error', reject).once('response', (response) => {
      text(response).then(() => resolve(response.statusCode ?? 0), reject);
    });
    outgoing.end(JSON.stringify({ model, messages: [] }));
    return promise;
  };
}

/** Plays so many swaps with 17 requests each through a real Jano, and fails the test when anything of /metrics that counts has ever gone down. */
export async function assertNothingShrinks(t: TestContext, swaps: number): Promise<void> {
  const { jano } = await openMachineRig(t, ['a', 'b'], {
    resident: ['a'],
    answer: answerByMood,
    config: { usage: { records: 50 } },
    policy: { minTurnMs: 0, linger: 0, toolLingerMs: 0, lingerSlackMs: 0 },
  });
  const call = createCaller(t, jano);
  const kinds = ['whole', 'stream', 'nothingTold', 'badRequest', 'errorInside', 'broken'];
  const shrunk: string[] = [];
  let before = await scrape(jano);

  for (let swap = 1; swap <= swaps; swap++) {
    const model = swap % 2 === 1 ? 'b' : 'a';
    const calls = Array.from({ length: REQUESTS_PER_SWAP }, (_, index) =>
      call(model, `caller ${swap} ${index}`, kinds[index % kinds.length] ?? ''),
    );
    await Promise.all(calls);
    if (swap % SWAPS_PER_SCRAPE !== 0) continue;
    const after = await scrape(jano);
    shrunk.push(...findShrunk(before, after));
    before = after;
  }

  const status = await readStatus(jano);
  assert.deepEqual(shrunk, []);
  assert.equal(status.swapsTotal, swaps);
  assert.equal(sumOf(before, 'jano_swaps_total'), swaps);
  assert.equal(sumOf(before, 'jano_requests_total'), swaps * REQUESTS_PER_SWAP);
  assert.equal(
    sumOf(before, 'jano_requests_total', 'outcome="served"'),
    status.requestsServedTotal,
  );
  assert.equal(sumOf(before, 'jano_caller_requests_total'), swaps * REQUESTS_PER_SWAP);
}

/** The series that may only grow and do not: each of a counter or a histogram. */
function findShrunk(before: Scrape, after: Scrape): string[] {
  const mayShrink = (series: string): boolean => {
    const name = series.split('{', 1)[0] ?? '';
    return after.types.get(name) === 'gauge';
  };
  return [...before.values]
    .filter(([series, value]) => !mayShrink(series) && !(Number(after.values.get(series)) >= value))
    .map(([series, value]) => `${series} was ${value}, is ${after.values.get(series)}`);
}
