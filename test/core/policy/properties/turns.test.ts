import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Random } from '../../../bench/sim/random.ts';
import { planTraffic } from './plan.ts';
import { withSeeds } from './seeds.ts';
import { World } from './world.ts';

suite('G2: when one model fits', () => {
  test('an overdue request lets each other model come before it at most once', () => {
    withSeeds(300, (random) => {
      const { world, models } = playCalm(random, [2, 8]);

      for (const { request, passedOver } of world.fates) {
        assert(passedOver < models, `${request.id} saw ${passedOver} turns, ${models} models`);
      }
    });
  });

  test('of two models, at most two swaps begin while a request waits, its own included', () => {
    withSeeds(300, (random) => {
      const { world } = playCalm(random, [2, 2]);

      for (const { request, swapsSeen } of world.fates) {
        assert(swapsSeen <= 2, `${request.id} saw ${swapsSeen} swaps`);
      }
    });
  });
});

function playCalm(
  random: Random,
  models: readonly [number, number],
): { world: World; models: number } {
  const options = { oneFits: true, swapsFail: false, serversDie: false, extras: false };
  const plan = planTraffic(random, { ...options, models });
  const world = new World(plan, random);
  world.play();
  return { world, models: plan.models.length };
}
