import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import supertest from 'supertest';
import { z } from 'zod';
import { openMachineRig } from '../machine/machineRig.ts';
import { untilShown } from '../support/aftermath.ts';
import type { MachineOptions } from '../support/machine.ts';
import type { RunningJano } from '../support/startJano.ts';

const NAMES =
  'id ts from to cause outcome script_ms ready_ms total_ms waited prompt_tokens_after error';

const listed = z.object({ count: z.number(), swaps: z.array(z.record(z.string(), z.unknown())) });

test('a swap is listed with what it was for, what it took and how it ended', async (t) => {
  const jano = await open(t);

  await ask(jano, 'anna', 'chat');
  await ask(jano, 'ben', 'code');
  const { count, swaps } = await list(jano);

  assert.equal(count, 2);
  const [second = {}, first = {}] = swaps;
  assert.equal(Object.keys(second).join(' '), NAMES);
  assert.partialDeepStrictEqual(first, { id: 1, from: [], to: 'chat' });
  assert.partialDeepStrictEqual(second, {
    id: 2,
    from: ['chat'],
    to: 'code',
    cause: { request_id: 2, caller: 'ben' },
    outcome: 'ok',
    waited: 1,
    prompt_tokens_after: null,
    error: null,
  });
  const [scriptMs, readyMs, totalMs] = z
    .tuple([z.number().min(0), z.number().min(0), z.number()])
    .parse([second['script_ms'], second['ready_ms'], second['total_ms']]);
  assert.ok(totalMs >= Math.floor(scriptMs + readyMs));
  assert.ok(Date.parse(z.string().parse(second['ts'])) > 0);
});

test('a script that fails is a swap of its own, and so is its second try', async (t) => {
  const jano = await open(t, { script: 'echo no such file >&2; exit 1' });

  await ask(jano, 'anna', 'chat');
  const { swaps } = await list(jano);
  const { body: callers } = await supertest(jano.server).get('/usage/callers');

  assert.deepEqual(
    swaps.map(({ id, outcome, ready_ms: readyMs }) => [id, outcome, readyMs]),
    [
      [2, 'script_failed', null],
      [1, 'script_failed', null],
    ],
  );
  for (const { error } of swaps) assert.match(z.string().parse(error), /no such file/);
  assert.equal(callers.callers[0].swaps_caused, 2);
});

test('what a swap costs those who come back is known once they have come', async (t) => {
  const jano = await open(t);
  for (const model of ['chat', 'code']) await ask(jano, 'anna', model);
  await ask(jano, 'ben', 'chat');
  const before = await list(jano);

  await ask(jano, 'anna', 'chat');
  await ask(jano, 'anna', 'chat');
  const after = await list(jano);

  // Ben is new to the model; of anna's prompt of 10 tokens 3 were cached.
  assert.equal(before.swaps[0]?.['prompt_tokens_after'], null);
  assert.deepEqual(
    after.swaps.map((swap) => swap['prompt_tokens_after']),
    [7, null, null],
  );
});

test('as many are listed as wanted, 50 unless told otherwise', async (t) => {
  const jano = await open(t);
  for (let count = 0; count < 26; count++) {
    for (const model of ['chat', 'code']) await ask(jano, 'anna', model);
  }

  assert.deepEqual(idsIn(await list(jano, '?limit=2')), [52, 51]);
  assert.equal((await list(jano)).count, 50);
  assert.equal((await list(jano, '?limit=10000')).count, 52);
});

async function open(t: TestContext, options: MachineOptions = {}): Promise<RunningJano> {
  const { jano } = await openMachineRig(t, ['chat', 'code'], {
    ...options,
    answer: (_model, _req, res) => {
      res.setHeader('content-type', 'application/json');
      res.end('{"timings":{"prompt_n":7,"cache_n":3,"predicted_n":5}}');
    },
    policy: { linger: 0, minTurnMs: 0 },
  });
  return jano;
}

/** Asks, and waits until it is recorded. */
async function ask(jano: RunningJano, caller: string, model: string): Promise<void> {
  const before = jano.snapshot().ledger.requests.newest(1)[0]?.id ?? 0;
  const response = await fetch(`${jano.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-caller': caller },
    body: JSON.stringify({ model }),
  });
  await response.arrayBuffer();
  await untilShown(jano, ({ ledger }) => (ledger.requests.newest(1)[0]?.id ?? 0) > before);
}

async function list({ server }: RunningJano, query = ''): Promise<z.infer<typeof listed>> {
  return listed.parse((await supertest(server).get(`/swaps${query}`).expect(200)).body);
}

function idsIn({ swaps }: z.infer<typeof listed>): unknown[] {
  return swaps.map(({ id }) => id);
}
