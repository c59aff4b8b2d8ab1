import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, goodReply } from './asking.ts';
import { HeldAnswers } from './heldAnswers.ts';
import { openMachineRig } from './machineRig.ts';
import { untilStatus, untilWaiting } from './statusView.ts';

test('newcomers do not keep a request for another model waiting for ever', async (t) => {
  const held = new HeldAnswers();
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    answer: held.answer,
    resident: ['a'],
    // The turn of "a" is over as soon as somebody waits for "b".
    policy: { minTurnMs: 0, maxTurnMs: 0 },
  });

  const replies = [ask(jano, 'a')];
  const running = await held.next();
  replies.push(ask(jano, 'b'));
  await untilWaiting(jano, 1);
  replies.push(ask(jano, 'a'));
  const { waiting } = await untilWaiting(jano, 2);
  running.end();
  const order = await held.endNext(2);

  await Promise.all(replies);
  assert.match(waiting[0]?.why ?? '', /^the turn of "a" is over, "b" is next$/);
  assert.deepEqual(
    order.map(({ model }) => model),
    ['b', 'a'],
  );
  assert.deepEqual(machine.swaps(), ['b', 'a']);
});

test('two agents in closed loops on two models are both served, and swaps are few', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    script: 'sleep 0.1',
    policy: { minTurnMs: 300, maxTurnMs: 300, priorSwapMs: 100 },
  });
  const served = { a: 0, b: 0 };
  const isOver = (): boolean => served.a >= 10 && served.b >= 10;

  const loop = async (model: 'a' | 'b'): Promise<void> => {
    while (!isOver()) {
      assert.deepEqual(await ask(jano, model, { caller: `agent ${model}` }), goodReply(model));
      served[model] += 1;
    }
  };
  await Promise.all([loop('a'), loop('b')]);

  // By far: as many as the simulator says is shown with a clock that does not depend on the machine.
  assert.ok(machine.swaps().length * 2 < served.a + served.b, machine.swaps().join());
  assert.deepEqual(machine.faults, []);
});

test('a model is held for a caller whose reply ended in a tool call', async (t) => {
  const held = new HeldAnswers();
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], {
    answer: held.answer,
    resident: ['a'],
  });

  const agent = ask(jano, 'a', { caller: 'agent' });
  const first = await held.next();
  const other = ask(jano, 'b');
  await untilWaiting(jano, 1);
  first.end('tool_calls');
  await agent;
  const { waiting, swap } = await untilStatus(jano, 'it ended', ({ inFlight }) => inFlight === 0);
  const again = ask(jano, 'a', { caller: 'agent' });
  const [second, third] = await held.endNext(2);

  await Promise.all([again, other]);
  assert.equal(swap, null);
  assert.match(waiting[0]?.why ?? '', /^a caller of "a" usually comes back by now \(held for /);
  assert.deepEqual([second?.model, third?.model], ['a', 'b']);
  assert.deepEqual(machine.swaps(), ['b']);
});

test('a caller who sends 40 requests at once does not block another one', async (t) => {
  const held = new HeldAnswers();
  const { jano } = await openMachineRig(t, ['a'], {
    answer: held.answer,
    resident: ['a'],
    models: { a: { parallel: 2 } },
  });

  const dump = new AbortController();
  const { signal } = dump;
  const dumped = Array.from({ length: 40 }, () => ask(jano, 'a', { caller: 'dump', signal }));
  const [first] = await held.take(2);
  await untilWaiting(jano, 38);
  const person = ask(jano, 'a', { caller: 'person' });
  await untilWaiting(jano, 39);
  first?.end();
  const next = await held.next();

  assert.equal(next.caller, 'person');
  next.end();
  assert.deepEqual(await person, goodReply('a'));
  dump.abort();
  await Promise.allSettled(dumped);
});

test('a resident model answers on while another one is loaded, whoever waits', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b', 'c'], {
    config: { memory: { budget: 2 } },
    resident: ['a'],
    isGated: true,
    // The turn of "a" is over as soon as somebody waits for its memory.
    policy: { minTurnMs: 0, maxTurnMs: 0 },
  });

  const waiting = [ask(jano, 'b')];
  await untilStatus(jano, 'the load', ({ swap }) => swap !== null);
  waiting.push(ask(jano, 'c'));
  await untilWaiting(jano, 2);
  const reply = ask(jano, 'a');
  const came = await untilStatus(jano, 'it came', (now) => {
    return now.queueDepth === 3 || now.requestsServedTotal === 1;
  });
  for (let runs = 0; runs < 3; runs += 1) await machine.go();
  await Promise.all([...waiting, reply]);

  assert.equal(came.requestsServedTotal, 1);
});
