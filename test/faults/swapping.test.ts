import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../bench/sim/random.ts';
import { ask, askAll, goodReply } from '../machine/asking.ts';
import { answerAtOnce, HeldAnswers } from '../machine/heldAnswers.ts';
import { openMachineRig } from '../machine/machineRig.ts';
import { readStatus, untilStatus, untilWaiting } from '../machine/statusView.ts';
import { assertIdle, assertRecorded, endingsOf } from '../support/aftermath.ts';

test('swap-01: 50 requests at once no longer have two models in memory or meet a dying one', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], { script: 'sleep 0.2' });
  const models = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 'a' : 'b'));

  const replies = await askAll(jano, models);

  assert.deepEqual(replies, models.map(goodReply));
  assert.ok(machine.swaps().length <= 2, machine.swaps().join());
  assert.deepEqual(machine.faults, []);
  assert.equal((await readStatus(jano)).swapFailuresTotal, 0);
  await assertRecorded(
    jano,
    Array.from({ length: 50 }, () => '200 served'),
  );
});

test('swap-02: a request for another model no longer cuts an answer that streams', async (t) => {
  const held = new HeldAnswers();
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    answer: held.answer,
    resident: ['a'],
  });

  const first = ask(jano, 'a');
  const streaming = await held.next();
  streaming.begin();
  const second = ask(jano, 'b');
  const before = await untilWaiting(jano, 1);
  streaming.end();
  (await held.next()).end();

  assert.equal(before.swap, null);
  assert.deepEqual(await Promise.all([first, second]), [goodReply('a'), goodReply('b')]);
  assert.deepEqual(machine.swaps(), ['b']);
  assert.deepEqual(machine.faults, []);
  await assertRecorded(
    jano,
    Array.from({ length: 2 }, () => '200 served'),
  );
});

test('swap-03: a request that comes just as a swap ends, fails or is left no longer waits for ever', async (t) => {
  const random = new Random(3);
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    script: 'echo >> runs; [ $(($(wc -l < runs) % 5)) -lt 3 ] || exit 3',
    policy: { minTurnMs: 0, maxTurnMs: 0, refuseMs: 5 },
    config: { usage: { records: 2000 } },
  });
  const endings = { '200': 0, '503': 0, left: 0 };

  for (let round = 0; round < 100; round += 1) {
    const model = round % 2 === 0 ? 'a' : 'b';
    // A swap takes some 20 ms here.
    const asked = Array.from({ length: 10 }, async () => {
      await delay(random.integer(0, 40));
      const signal = random.next() < 0.2 ? AbortSignal.timeout(random.integer(1, 40)) : undefined;
      const caller = `${random.integer(1, 5)}`;
      const reply = await ask(jano, model, { caller, ...(signal && { signal }) }).catch(() => null);
      endings[reply === null ? 'left' : reply.status === 200 ? '200' : '503'] += 1;
      assert.ok(reply === null ? signal?.aborted === true : [200, 503].includes(reply.status));
    });
    await Promise.all(asked);
  }

  await untilStatus(jano, 'no swap runs', ({ swap }) => swap === null);
  t.diagnostic(`${JSON.stringify(endings)}, ${machine.swaps().length} runs of the script`);
  assertIdle(jano);
  assert.ok(endingsOf(jano).length >= endings['200'] + endings['503']);
  assert.ok(Object.values(endings).every((count) => count > 0));
  assert.doesNotMatch((await readStatus(jano)).lastError?.message ?? '', /another run/);
});

test('time-04: a caller that gives up while its model loads no longer takes those with it who stay', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    resident: ['a'],
    isGated: true,
  });
  const caller = new AbortController();

  const staying = ask(jano, 'b');
  const leaving = assert.rejects(ask(jano, 'b', { signal: caller.signal }));
  await untilWaiting(jano, 2);
  caller.abort();
  await leaving;
  await untilWaiting(jano, 1);
  await machine.go();

  assert.deepEqual(await staying, goodReply('b'));
  await assertRecorded(jano, ['200 served', '499 abandoned']);
  const [served] = jano.snapshot().ledger.requests.newest();
  // What it waited is told apart from what its answer took.
  const { arrivedAt = 0, dispatchedAt, swapMs = 0 } = served ?? {};
  assert.ok(swapMs > 0 && (dispatchedAt ?? 0) - arrivedAt >= swapMs);
  assert.deepEqual(machine.swaps(), ['b']);
});

test('swap-09: A B A A C A B C no longer cost six swaps, but two, and are served A A A A B B C C', async (t) => {
  const held = new HeldAnswers();
  const { machine, jano } = await openMachineRig(t, ['a', 'b', 'c'], {
    answer: held.answer,
    resident: ['a'],
    models: { a: { parallel: 1 }, b: { parallel: 1 }, c: { parallel: 1 } },
  });

  const replies = [];
  for (const [index, model] of 'abaacabc'.split('').entries()) {
    replies.push(ask(jano, model));
    await untilStatus(jano, `${model} came`, (now) => now.queueDepth + now.inFlight > index);
  }
  const served = await held.endNext(8);

  await Promise.all(replies);
  assert.equal(served.map(({ model }) => model).join(''), 'aaaabbcc');
  assert.deepEqual(machine.swaps(), ['b', 'c']);
  await assertRecorded(
    jano,
    Array.from({ length: 8 }, () => '200 served'),
  );
});

test('swap-10: a rare request no longer waits for ever behind a flood, but for two swaps at most', async (t) => {
  const swapsThen: number[] = [];
  const { machine, jano } = await openMachineRig(t, ['flooded', 'rare'], {
    resident: ['flooded'],
    policy: { minTurnMs: 200, maxTurnMs: 200 },
    answer: (model, req, res) => {
      if (model === 'rare') swapsThen.push(machine.swaps().length);
      answerAtOnce(model, req, res);
    },
  });

  const flood = new AbortController();
  // Three times as many as are served at once, so that there is always one waiting.
  const floods = Array.from({ length: 12 }, async (_, index) => {
    while (!flood.signal.aborted) await ask(jano, 'flooded', { caller: `flood ${index}` });
  });
  for (let round = 0; round < 3; round += 1) {
    const swapsBefore = machine.swaps().length;
    assert.deepEqual(await ask(jano, 'rare', { caller: 'rare' }), goodReply('rare'));
    assert.ok((swapsThen[round] ?? Number.NaN) - swapsBefore <= 2, machine.swaps().join());
  }
  flood.abort();
  await Promise.all(floods);

  assert.deepEqual(machine.faults, []);
});

test('swap-11: what programs and browsers ask to find their way no longer loads model after model', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], { resident: ['a'] });
  const own = ['/', '/health', '/v1/models', '/v1/models/b', '/api/tags', '/api/ps'];
  const statusOf = async (path: string, method = 'GET'): Promise<number> => {
    return (await fetch(jano.url + path, { method })).status;
  };

  for (const path of own) assert.equal(await statusOf(path), 200);
  const unrecorded = jano.snapshot().ledger.requests.newest().length;
  for (const path of ['/favicon.ico', '/sw.js']) assert.equal(await statusOf(path), 200);
  for (const method of ['GET', 'HEAD']) {
    assert.equal(await statusOf('/upstream/b/props', method), 503);
  }
  assert.equal(await statusOf('/upstream/b/v1/chat/completions', 'OPTIONS'), 404);
  await statusOf('/', 'HEAD');

  assert.deepEqual([machine.swaps(), unrecorded], [[], 0]);
  const { currentModel, swapsTotal } = await readStatus(jano);
  assert.deepEqual([currentModel, swapsTotal], ['a', 0]);
});

test('swap-12: a full queue is no longer a 500 after a while, but a 503 at once that says when to come back', async (t) => {
  const held = new HeldAnswers();
  const { jano } = await openMachineRig(t, ['a', 'b'], {
    answer: held.answer,
    resident: ['a'],
    config: { queue: { maxWaiting: 2 } },
  });

  const replies = [ask(jano, 'a')];
  const answer = await held.next();
  replies.push(ask(jano, 'b'), ask(jano, 'b'));
  await untilWaiting(jano, 2);
  const refused = await ask(jano, 'b');
  const besides = ask(jano, 'a');
  await held.endNext(1);
  answer.end();
  await held.endNext(2);

  assert.deepEqual([refused.status, refused.retryAfter], [503, '10']);
  assert.equal(refused.text, 'the queue is full: 2 requests wait already');
  // It did not have to wait.
  assert.deepEqual(await besides, goodReply('a'));
  await Promise.all(replies);
  await assertRecorded(jano, [...Array.from({ length: 4 }, () => '200 served'), '503 rejected']);
});
