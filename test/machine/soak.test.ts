import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextStep } from 'node:timers/promises';
import { Random } from '../bench/sim/random.ts';
import { until } from '../rig/polling.ts';
import { ask } from './asking.ts';
import { openMachineRig } from './machineRig.ts';
import { untilStatus } from './statusView.ts';

const NAMES = ['a', 'b', 'c'];
/** Shell text: every fifth run fails. */
const FAILS_NOW_AND_THEN =
  'echo >> runs; [ $(($(wc -l < runs) % 5)) != 0 ] || { echo "no memory" >&2; exit 3; }';

for (const budget of [1, 2]) {
  test(`whatever callers, servers and scripts do, nothing is lost: memory for ${budget}`, async (t) => {
    const random = new Random(budget);
    const { machine, jano } = await openMachineRig(t, NAMES, {
      config: { memory: { budget } },
      script: FAILS_NOW_AND_THEN,
      swap: { timeout: '1s' },
      policy: { minTurnMs: 20, maxTurnMs: 50, toolLingerMs: 5, priorSwapMs: 100, refuseMs: 50 },
    });

    const outcomes = await Promise.all(
      Array.from({ length: 150 }, async (_, index) => {
        const caller = new AbortController();
        const { signal } = caller;
        await steps(random.integer(0, 1500));
        const asked = ask(jano, random.pick(NAMES), { caller: `${index % 7}`, signal });
        const outcome = asked.then(({ status }) => status).catch(() => 'broken');
        const fate = random.next();
        if (fate < 0.2) {
          await steps(random.integer(0, 300));
          caller.abort();
        } else if (fate < 0.23) machine.kill(random.pick(NAMES));
        return outcome;
      }),
    );
    const after = await untilStatus(
      jano,
      'all is over',
      (now) => now.queueDepth + now.inFlight + now.running.length === 0 && now.swap === null,
    );

    const known = new Set<number | string>([200, 502, 503, 'broken']);
    assert.deepEqual(
      outcomes.filter((outcome) => !known.has(outcome)),
      [],
    );
    assert.ok(outcomes.filter((outcome) => outcome === 200).length > 30);
    assert.ok(after.swapsTotal > 3);
    assert.doesNotMatch(after.lastError?.message ?? '', /another run is under way/);
    assert.deepEqual(
      machine.faults.filter((fault) => fault.includes('left while')),
      [],
    );
    for (const model of NAMES) {
      await until(`"${model}" is served`, async () => (await ask(jano, model)).status === 200);
    }
  });
}

async function steps(count: number): Promise<void> {
  for (let step = 0; step < count; step += 1) await nextStep();
}
