import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBackend } from '../support/fakeBackend.ts';
import { scrape, valueOf } from '../support/scrape.ts';
import { startJanoFor } from '../support/startJano.ts';
import { assertNothingShrinks, createCaller } from './longRun.ts';

test('while more is done than is kept no counter and no histogram goes down', (t) =>
  assertNothingShrinks(t, 60));

test('10,000 names of models that are not there, of 10,000 callers, leave /metrics the same size', async (t) => {
  const jano = await startJanoFor(t, await startBackend(t, (_req, res) => res.end()));
  const call = createCaller(t, jano);
  const ask = (from: number, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        call(`m${from + index}`, `caller ${from + index}`, 'whole'),
      ),
    );
  // The first few callers have a label.
  await ask(0, 100);
  const before = await scrape(jano);

  const statuses = await ask(100, 10_000);

  const after = await scrape(jano);
  assert.deepEqual(new Set(statuses), new Set([404]));
  assert.deepEqual([...after.values.keys()], [...before.values.keys()]);
  assert.equal(valueOf(after, 'jano_requests_total{model="_other",outcome="rejected"}'), 10_100);
  assert.equal(valueOf(after, 'jano_caller_requests_total{caller="_other"}'), 10_080);
});
