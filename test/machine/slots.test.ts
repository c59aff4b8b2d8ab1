import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, askAll, goodReply, type Reachable } from './asking.ts';
import { answerAtOnce, HeldAnswers } from './heldAnswers.ts';
import { openMachineRig } from './machineRig.ts';
import { untilStatus, untilWaiting } from './statusView.ts';

const TEN = Array.from({ length: 10 }, () => 'a');

test('a model gets as many requests at once as its parallel says, the others wait', async (t) => {
  const held = new HeldAnswers();
  const { machine, jano } = await openMachineRig(t, ['a'], {
    answer: held.answer,
    resident: ['a'],
    models: { a: { parallel: 3 } },
  });

  const replies = askAll(jano, TEN);
  const three = await held.take(3);
  const { waiting, inFlight } = await untilWaiting(jano, 7);
  for (const answer of three) answer.end();
  await held.endNext(7);

  assert.equal(inFlight, 3);
  assert.equal(waiting[0]?.why, '"a" is answering 3 of 3 requests at once');
  assert.deepEqual(await replies, TEN.map(goodReply));
  assert.equal(machine.mostAtOnce('a'), 3);
});

test('parallel auto takes the number of slots that the server tells once it is loaded', async (t) => {
  const held = new HeldAnswers();
  const { jano } = await openMachineRig(t, ['a'], {
    answer: held.answer,
    models: { a: { parallel: 'auto' } },
    slots: 1,
  });

  assert.equal(await countAtOnce(jano, held), 1);
});

test('parallel auto asks a model that was found resident at start, too', async (t) => {
  const held = new HeldAnswers();
  const { jano } = await openMachineRig(t, ['a'], {
    answer: held.answer,
    models: { a: { parallel: 'auto' } },
    resident: ['a'],
    slots: 1,
  });

  assert.equal(await countAtOnce(jano, held), 1);
});

test('parallel auto asks a model that came up late, too', async (t) => {
  const held = new HeldAnswers();
  const { machine, jano } = await openMachineRig(t, ['a'], {
    answer: held.answer,
    models: { a: { parallel: 'auto' } },
    script: 'exit 1',
    slots: 1,
  });
  assert.equal((await ask(jano, 'a')).status, 503);
  machine.setResidents('a');

  assert.equal(await countAtOnce(jano, held), 1);
});

test('parallel auto is four where the server cannot tell', async (t) => {
  const held = new HeldAnswers();
  const { jano } = await openMachineRig(t, ['a'], {
    answer: (model, req, res) => {
      if (req.url !== '/props') return held.answer(model, req, res);
      res.statusCode = 404;
      res.end();
    },
    models: { a: { parallel: 'auto' } },
    slots: null,
  });

  assert.equal(await countAtOnce(jano, held), 4);
});

test('a GET takes no slot', async (t) => {
  const held = new HeldAnswers();
  const { jano } = await openMachineRig(t, ['a'], {
    answer: (model, req, res) =>
      req.method === 'GET' ? answerAtOnce(model, req, res) : held.answer(model, req, res),
    resident: ['a'],
    models: { a: { parallel: 1 } },
  });

  const running = ask(jano, 'a');
  const answer = await held.next();
  const { status } = await fetch(`${jano.url}/upstream/a/slots`);
  answer.end();

  assert.equal(status, 200);
  assert.deepEqual(await running, goodReply('a'));
  await untilStatus(jano, 'nothing runs', ({ inFlight }) => inFlight === 0);
});

test('GETs that overlap do not keep a model whose turn is over from making room', async (t) => {
  const held = new HeldAnswers();
  const { jano } = await openMachineRig(t, ['a', 'b'], {
    answer: held.answer,
    resident: ['a'],
    policy: { minTurnMs: 0, maxTurnMs: 0 },
  });

  const visit = () => fetch(`${jano.url}/upstream/a/metrics`);
  const first = visit();
  const running = await held.next();
  const wanted = ask(jano, 'b');
  await untilStatus(jano, '"b" is waited for', ({ oldestWaitingMs }) => oldestWaitingMs > 0);
  const second = await visit();
  running.end();
  await held.endNext(1);

  assert.equal(second.status, 503);
  assert.match(await second.text(), /is about to make room for another/);
  assert.equal((await first).status, 200);
  assert.deepEqual(await wanted, goodReply('b'));
});

/** Asks ten times at once, and gives how many of these the model got before it had answered any. */
async function countAtOnce(jano: Reachable, held: HeldAnswers): Promise<number> {
  const replies = askAll(jano, TEN);
  const first = await held.next();
  const { inFlight } = await untilStatus(
    jano,
    'ten came',
    (now) => now.queueDepth + now.inFlight === 10,
  );
  first.end();
  await held.endNext(9);
  assert.deepEqual(await replies, TEN.map(goodReply));
  return inFlight;
}
