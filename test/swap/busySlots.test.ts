import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test, type TestContext } from 'node:test';
import { backend } from '../support/backend.ts';
import { DEAD_URL, openWorkshop, serve } from './workshop.ts';

/** What is told first of the slots of a server that answers /slots like that. */
async function askOnce(t: TestContext, answer: RequestListener | null): Promise<number | null> {
  const url = answer === null ? DEAD_URL : await serve(t, answer);
  const { swapper } = openWorkshop(t, '', {}, { busySlotsMs: 300 });
  const end = new AbortController();
  const told = Promise.withResolvers<number | null>();
  const watch = swapper.watchSlots(backend('qwen', url), told.resolve, end.signal);
  const busy = await told.promise;
  end.abort();
  await watch;
  return busy;
}

function saying(body: string, status = 200): RequestListener {
  return (request, response) => {
    response.writeHead(request.url === '/slots' ? status : 418).end(body);
  };
}

test('the slots at work are counted', async (t) => {
  const slots = [true, false, true].map((at, id) => ({ id, is_processing: at, prompt: 'x' }));

  assert.equal(await askOnce(t, saying(JSON.stringify(slots))), 2);
  assert.equal(await askOnce(t, saying('[{"is_processing": false}]')), 0);
});

const useless: readonly [what: string, answer: RequestListener | null][] = [
  ['answers 501', saying('[{"is_processing": true}]', 501)],
  ['answers 404', saying('{"error": "no such path"}', 404)],
  ['needs a key', saying('{}', 401)],
  ['is loading', saying('{"error": {"code": 503}}', 503)],
  ['sends an empty answer', saying('')],
  ['sends a page', saying('<html>')],
  ['sends no list', saying('{"is_processing": true}')],
  ['lists no slots', saying('["busy"]')],
  ['lists slots that say nothing', saying('[{"id": 0}]')],
  ['lists slots that say something else', saying('[{"is_processing": 1}]')],
  ['lists one slot that says nothing', saying('[{"is_processing": true}, null]')],
  ['hangs', () => undefined],
  ['hangs in the middle', (_, response) => response.write('[{"is_processing":')],
  ['breaks off', (request) => request.socket.destroy()],
  ['is gone', null],
];

for (const [what, answer] of useless) {
  test(`a server that ${what} does not tell its slots`, async (t) => {
    assert.equal(await askOnce(t, answer), null);
  });
}

test('slots are asked for again and again, and no more once that is not wanted', async (t) => {
  let questions = 0;
  const url = await serve(t, (_, response) => {
    questions += 1;
    response.end('[{"is_processing": true}]');
  });
  const { swapper } = openWorkshop(t, '');
  const end = new AbortController();
  const told: (number | null)[] = [];

  await swapper.watchSlots(
    backend('qwen', url),
    (busy) => {
      told.push(busy);
      if (told.length === 3) end.abort();
    },
    end.signal,
  );

  assert.deepEqual([told, questions], [[1, 1, 1], 3]);
});

test('an end, or closing, cuts off a question for slots and tells nothing', async (t) => {
  const asked = Promise.withResolvers<void>();
  const url = await serve(t, () => asked.resolve());
  const { swapper } = openWorkshop(t, '');
  const told: (number | null)[] = [];
  const end = new AbortController();
  const watch = (signal: AbortSignal) =>
    swapper.watchSlots(backend('qwen', url), (busy) => told.push(busy), signal);
  const watches = [watch(end.signal), watch(new AbortController().signal)];
  await asked.promise;

  end.abort();
  await watches[0];
  await swapper.close();

  await Promise.all(watches);
  assert.deepEqual(told, []);
});
