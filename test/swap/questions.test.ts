import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { leaveNoChildren } from './processes.ts';
import { backend } from '../support/backend.ts';
import { DEAD_URL, openWorkshop, serve } from './workshop.ts';

leaveNoChildren();

async function askParallelOf(t: TestContext, status: number, body: string): Promise<number | null> {
  const url = await serve(t, (request, response) => {
    response.writeHead(request.url === '/props' ? status : 404).end(body);
  });
  return openWorkshop(t, '').swapper.askParallel(backend('qwen', url));
}

test('a backend is healthy when its check holds', async (t) => {
  const url = await serve(t, (_, response) => response.end('ok'));

  assert.equal(await openWorkshop(t, '').swapper.isHealthy(backend('qwen', url)), true);
});

test('a backend that answers 503, refuses or hangs is not healthy', async (t) => {
  const { swapper } = openWorkshop(t, '', {}, { probeMs: 300 });
  const urls = [
    await serve(t, (_, response) => response.writeHead(503).end()),
    await serve(t, () => {}),
    DEAD_URL,
  ];

  const answers = await Promise.all(urls.map((url) => swapper.isHealthy(backend('qwen', url))));

  assert.deepEqual(answers, [false, false, false]);
});

test('a URL that is none is not healthy and rejects nothing', async (t) => {
  const { swapper } = openWorkshop(t, '');

  const answers = [
    await swapper.isHealthy(backend('qwen', 'nonsense')),
    await swapper.askParallel(backend('qwen', 'nonsense')),
  ];

  assert.deepEqual(answers, [false, null]);
});

test('the slots of llama-server are its parallel requests', async (t) => {
  assert.equal(await askParallelOf(t, 200, '{"total_slots": 4, "model_path": "x"}'), 4);
});

for (const body of [
  '',
  'null',
  '[]',
  '{}',
  '{"total_slots": 0}',
  '{"total_slots": -1}',
  '{"total_slots": 1.5}',
  '{"total_slots": "4"}',
  '{"total_slots": 1e999}',
  `{"total_slots": 4, "chat_template": "${'x'.repeat(2 ** 20)}"}`,
]) {
  test(`no number of slots is read from ${body.slice(0, 40) || 'an empty answer'}`, async (t) => {
    assert.equal(await askParallelOf(t, 200, body), null);
  });
}

test('no number of slots is read from an error', async (t) => {
  assert.equal(await askParallelOf(t, 503, '{"total_slots": 4}'), null);
});

test('a backend that refuses or hangs has no known number of slots', async (t) => {
  const { swapper } = openWorkshop(t, '', {}, { probeMs: 300 });
  const urls = [DEAD_URL, await serve(t, () => {})];

  const answers = await Promise.all(urls.map((url) => swapper.askParallel(backend('qwen', url))));

  assert.deepEqual(answers, [null, null]);
});
