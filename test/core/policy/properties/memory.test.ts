import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type PlanOptions, planTraffic } from './plan.ts';
import { withSeeds } from './seeds.ts';
import { World } from './world.ts';

suite('a swap unloads what still holds the memory it needs', () => {
  test('after swaps that failed, when one model fits', () => {
    playTruthfully(40, { oneFits: true, extras: false, serversDie: false });
  });

  test('after swaps that failed, when several models fit', () => {
    playTruthfully(40, { oneFits: false, extras: true, serversDie: false });
  });

  test('after servers that died and hang', () => {
    playTruthfully(40, { oneFits: true, extras: true, serversDie: true });
    playTruthfully(40, { oneFits: false, extras: true, serversDie: true });
  });
});

type Options = Pick<PlanOptions, 'oneFits' | 'extras' | 'serversDie'>;

function playTruthfully(seeds: number, options: Options): void {
  withSeeds(seeds, (random) => {
    const plan = planTraffic(random, { ...options, models: [2, 8], swapsFail: true });
    // Nobody can know what is there when health checks lie.
    const world = new World({ ...plan, trouble: { ...plan.trouble, probeErrs: 0 } }, random);

    world.play();

    assert.deepEqual(world.overfilledBy, []);
  });
}
