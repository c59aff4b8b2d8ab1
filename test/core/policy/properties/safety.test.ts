import { suite, test } from 'node:test';
import { type PlanOptions, planTraffic } from './plan.ts';
import { withSeeds } from './seeds.ts';
import { World } from './world.ts';

const calm: PlanOptions = {
  models: [2, 8],
  oneFits: true,
  swapsFail: false,
  serversDie: false,
  extras: false,
};

suite('G5: no request is lost and no rule broken', () => {
  test('when one model fits', () => {
    playMany(60, calm);
  });

  test('when several models fit', () => {
    playMany(60, { ...calm, oneFits: false });
  });

  test('with ttls, pinned models, queue timeouts and a preload', () => {
    playMany(60, { ...calm, extras: true });
    playMany(60, { ...calm, extras: true, oneFits: false });
  });

  test('when swaps and unloads fail', () => {
    playMany(60, { ...calm, swapsFail: true });
    playMany(60, { ...calm, swapsFail: true, extras: true, oneFits: false });
  });

  test('when servers die with requests running on them', () => {
    playMany(60, { ...calm, serversDie: true });
    playMany(60, { ...calm, serversDie: true, oneFits: false });
  });

  test('when everything comes together', () => {
    playMany(60, {
      models: [2, 8],
      oneFits: true,
      swapsFail: true,
      serversDie: true,
      extras: true,
    });
    playMany(60, {
      models: [2, 8],
      oneFits: false,
      swapsFail: true,
      serversDie: true,
      extras: true,
    });
  });

  test('with twenty models of which more than five fit', () => {
    playMany(60, {
      models: [20, 20],
      oneFits: false,
      swapsFail: true,
      serversDie: true,
      extras: true,
    });
  });
});

function playMany(seeds: number, options: PlanOptions): void {
  withSeeds(seeds, (random) => new World(planTraffic(random, options), random).play());
}
