import assert from 'node:assert/strict';
import { test } from 'node:test';
import supertest from 'supertest';
import { z } from 'zod';
import { openMachineRig } from '../machine/machineRig.ts';
import { untilShown } from '../support/aftermath.ts';
import { startBackend } from '../support/fakeBackend.ts';
import { type RunningJano, startJano, startJanoFor } from '../support/startJano.ts';

const totals = z.object({
  requestsServedTotal: z.number(),
  tokensGeneratedTotal: z.number(),
  promptTokensTotal: z.number(),
  swapsTotal: z.number(),
});

test('met-06: totals no longer go down when older records and swaps are forgotten', async (t) => {
  const { jano } = await openMachineRig(t, ['chat', 'code'], {
    answer: (_model, req, res) => {
      res.setHeader('content-type', 'application/json');
      const isMetered = Number(req.headers['x-number']) % 3 !== 0;
      res.end(
        isMetered ? '{"usage":{"prompt_tokens":10,"completion_tokens":2}}' : '{"usage":null}',
      );
    },
    config: { usage: { records: 5 } },
    policy: { linger: 0, minTurnMs: 0 },
  });
  let before = await readTotals(jano);

  for (let number = 1; number <= 30; number++) {
    await ask(jano, number % 2 === 0 ? 'chat' : 'code', number);
    const after = await readTotals(jano);
    for (const [name, value] of Object.entries(before)) {
      assert.ok(
        Object.entries(after).some(([other, now]) => other === name && now >= value),
        name,
      );
    }
    before = after;
  }

  assert.deepEqual(before, {
    requestsServedTotal: 30,
    tokensGeneratedTotal: 40,
    promptTokensTotal: 200,
    swapsTotal: 30,
  });
  const { body } = await supertest(jano.server).get('/usage?limit=10000').expect(200);
  assert.equal(body.count, 5);
});

test('met-13: an odd limit no longer gives all records, some of them, or a 500', async (t) => {
  const url = await startBackend(t, (_req, res) => res.end());
  const jano = await startJanoFor(t, url);
  await ask(jano, 'qwen', 1);

  const odd = ['limit=', 'limit', 'limit=abc', 'limit=-1', 'limit=0', 'limit=1e9', 'limit=2.5'];
  const odder = ['limit=1&limit=2', 'limit[a]=1', 'limit=%20%205', 'limit=0x10', 'limit=10001'];
  for (const query of [...odd, ...odder, 'limit=%00', 'limit=%ff', `limit=${'9'.repeat(400)}`]) {
    for (const path of ['/usage', '/swaps']) {
      const { body } = await supertest(jano.server).get(`${path}?${query}`).expect(400);
      assert.match(
        body.error.message,
        /^(?:limit (?:must be|is)|no parameter "limit\[a\]")/,
        query,
      );
      assert.equal(body.error.type, 'invalid_request_error');
    }
  }
  const { body } = await supertest(jano.server).get('/usage?limit=1').expect(200);
  assert.equal(body.count, 1);
});

test('use-08: a request is no longer said to have taken no time, or only the backend’s share', async (t) => {
  const clock = { now: Date.parse('2026-05-04T12:00:00Z') };
  const url = await startBackend(t, (_req, res) => {
    clock.now += 3000;
    res.setHeader('content-type', 'application/json');
    res.end('{"timings":{"prompt_n":9,"prompt_ms":400,"predicted_n":30,"predicted_ms":600}}');
  });
  const raw = { models: [{ name: 'qwen', url, parallel: 1 }] };
  const jano = await startJano(t, raw, undefined, { now: () => clock.now });

  await ask(jano, 'qwen', 1);
  const { body } = await supertest(jano.server).get('/usage').expect(200);

  assert.partialDeepStrictEqual(body.records, [
    { total_ms: 3000, ttfb_ms: 3000, queue_ms: 0, stream: false, gen_tokens: 30, gen_tok_s: null },
  ]);
});

/** Asks, and waits until it is recorded. */
async function ask(jano: RunningJano, model: string, number: number): Promise<void> {
  const response = await fetch(`${jano.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-number': `${number}` },
    body: JSON.stringify({ model }),
  });
  await response.arrayBuffer();
  await untilShown(jano, ({ ledger }) => ledger.requests.newest(1)[0]?.id === number);
}

async function readTotals({ server }: RunningJano): Promise<z.infer<typeof totals>> {
  return totals.parse((await supertest(server).get('/status').expect(200)).body);
}
