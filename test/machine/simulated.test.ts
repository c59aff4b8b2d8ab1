import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agents, subagents } from '../bench/sim/loops.ts';
import type { Trace } from '../bench/sim/trace.ts';
import { burst, flood, readmeBurst } from '../bench/sim/traffic.ts';
import { playOnRouter } from './lockstep.ts';
import { playInSimulator, type Play } from './simulated.ts';

const pair = [
  ['chat', 1],
  ['code', 1],
] as const;

const traces: Readonly<Record<string, Trace>> = {
  'a burst of 6 with its first model resident': readmeBurst('chat'),
  'a burst of 6 with its second model resident': readmeBurst('code'),
  'a burst of 30 over 3 models': burst(1, { requests: 30, models: 3, spreadMs: 2000 }),
  'two agents on two models': agents(1, pair, 8),
  'an agent with subagents': subagents(1, 1),
  'a rare request behind a flood': flood(1, { callers: 2, minutes: 2, rareEveryMs: 40_000 }),
};

for (const [title, trace] of Object.entries(traces)) {
  test(`the router serves and swaps as simulated: ${title}`, async (t) => {
    const { play: expected, instants } = playInSimulator(trace);

    const actual = await playOnRouter(t, trace, instants);

    assert.deepEqual(actual.swaps, expected.swaps);
    assert.deepEqual(sorted(actual), sorted(expected));
    assert.equal(actual.dispatched.length, trace.requests.length);
  });
}

test('two agents on two models cost few swaps', () => {
  const trace = agents(1, pair, 30);

  const { play } = playInSimulator(trace);

  // One for each request, were they served as they come.
  assert.ok(play.swaps.length * 5 < trace.requests.length, `${play.swaps.length} swaps`);
});

test('a rare request behind a flood waits for two swaps at most', () => {
  const trace = flood(1, { callers: 3, minutes: 20, rareEveryMs: 120_000 });

  const { play, instants } = playInSimulator(trace);

  const rare = trace.requests.filter(({ caller }) => caller === 'rare');
  const swapsOf = rare.map((request) => {
    const from = instants.find(({ arrived }) => arrived.includes(request))?.at ?? Number.NaN;
    const to = play.dispatched.find(({ id }) => id === request.id)?.at ?? Number.NaN;
    return play.swaps.filter(({ at }) => at >= from && at <= to).length;
  });
  assert.equal(swapsOf.length, 10);
  assert.ok(Math.max(...swapsOf) <= 2, swapsOf.join());
});

/** Requests that are dispatched at the same time reach their servers in any order. */
function sorted({ dispatched }: Play): Play['dispatched'] {
  return dispatched.toSorted((a, b) => a.at - b.at || a.id - b.id);
}
