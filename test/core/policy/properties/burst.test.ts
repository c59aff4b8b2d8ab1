import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Plan, planBurst } from './plan.ts';
import { withSeeds } from './seeds.ts';
import { World } from './world.ts';

suite('G1: a burst', () => {
  test('that is queued before the first swap costs one swap per absent model', () => {
    withSeeds(300, (random) => {
      const plan = planBurst(random, 'at once');
      const world = new World(plan, random);

      world.play();

      assert.equal(world.swaps.length, absentModels(plan));
    });
  });

  test('that comes before the first swap has ended costs at most one swap per model', () => {
    withSeeds(300, (random) => {
      const plan = planBurst(random, 'within a swap');
      const world = new World(plan, random);

      world.play();

      assert(world.swaps.length <= wantedModels(plan).size, `${world.swaps.length} swaps`);
    });
  });
});

function wantedModels(plan: Plan): Set<string> {
  return new Set(plan.requests.map(({ model }) => model));
}

function absentModels(plan: Plan): number {
  return [...wantedModels(plan)].filter((model) => !plan.resident.includes(model)).length;
}
