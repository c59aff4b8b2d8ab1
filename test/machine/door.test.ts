import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, goodReply } from './asking.ts';
import { openMachineRig } from './machineRig.ts';
import { readStatus } from './statusView.ts';

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
