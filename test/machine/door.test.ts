import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, goodReply } from './asking.ts';
import { HeldAnswers } from './heldAnswers.ts';
import { openMachineRig } from './machineRig.ts';
import { readStatus, untilWaiting } from './statusView.ts';

for (const method of ['GET', 'HEAD', 'OPTIONS']) {
  test(`${method} loads no model: one that is not resident is answered for by Jano`, async (t) => {
    const { machine, jano } = await openMachineRig(t, ['a', 'b'], { resident: ['a'] });

    const response = await fetch(`${jano.url}/upstream/b/props`, { method });

    assert.equal(response.status, method === 'OPTIONS' ? 404 : 503);
    assert.equal(response.headers.get('Retry-After'), null);
    if (method !== 'HEAD') assert.match(await response.text(), /model \\"b\\" is not loaded/);
    assert.deepEqual(machine.swaps(), []);
    assert.equal((await readStatus(jano)).currentModel, 'a');
  });
}

test('POST /api/show loads no model either', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], { resident: ['a'] });

  const body = '{"model":"b"}';
  const response = await fetch(`${jano.url}/api/show`, { method: 'POST', body });

  assert.equal(response.status, 503);
  assert.match(await response.text(), /^\{"error":"model \\"b\\" is not loaded, /);
  assert.deepEqual(machine.swaps(), []);
});

test('what programs ask to find their way loads no model', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a', 'b'], { resident: ['a'] });
  const paths = [
    '/',
    '/health',
    '/v1/models',
    '/v1/models/b',
    '/api/tags',
    '/api/ps',
    '/favicon.ico',
  ];

  const responses = await Promise.all(paths.map((path) => fetch(jano.url + path)));

  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
  assert.deepEqual(machine.swaps(), []);
});

test('a full queue is told so at once, with a Retry-After', async (t) => {
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
});

test('without a limit of bytes any number of them may wait', async (t) => {
  const { jano } = await openMachineRig(t, ['a'], { config: { queue: { maxWaitingBytes: 0 } } });

  assert.deepEqual(await ask(jano, 'a'), goodReply('a'));
});

test('a request that has waited too long is told so', async (t) => {
  const { machine, jano } = await openMachineRig(t, ['a'], {
    isGated: true,
    config: { queue: { timeout: '50ms' } },
  });

  const refused = await ask(jano, 'a');
  await machine.go();

  assert.equal(refused.status, 503);
  assert.equal(refused.text, 'the request has waited for "a" longer than queue.timeout (0.1 s)');
});
