import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { test, type TestContext } from 'node:test';
import type { Backend } from '../../src/core/backend.ts';
import { startLlamaRig } from '../rig/llamaRig.ts';
import { untilHealthy } from '../rig/polling.ts';
import { backend } from '../support/backend.ts';
import { leaveNoChildren } from './processes.ts';
import { findUrl, openWorkshop, orderFor, serve } from './workshop.ts';

leaveNoChildren();

const ignorePhase = (): void => {};

/** Whether "qwen" is taken for healthy where "gemma", alias "Chat", has the same URL and /v1/models is answered so. */
async function isTaken(
  t: TestContext,
  models: unknown,
  { status = 200, more = {} }: { status?: number; more?: Partial<Backend> } = {},
): Promise<boolean> {
  const body = typeof models === 'string' ? models : JSON.stringify(models);
  const url = await serve(t, (request, response) => {
    if (request.url === '/v1/models') response.writeHead(status).end(body);
    else response.end('ok: qwen');
  });
  const qwen = backend('qwen', url, more);
  const others = [backend('gemma', url, { aliases: ['Chat'] }), backend('phi', `${url}/phi`)];
  const { swapper } = openWorkshop(t, '', {}, { probeMs: 300 }, [qwen, ...others]);
  return swapper.isHealthy(qwen);
}

for (const list of [
  { data: [{ id: 'gemma' }] },
  { data: [{ id: 'GEMMA:latest' }] },
  { object: 'list', data: [{ id: 'chat', object: 'model' }] },
  { models: [{ name: 'gemma' }] },
  { models: [{ model: 'gemma' }], data: [] },
  { data: [{ id: 'unknown' }, { id: 'gemma' }] },
]) {
  test(`another model at the same URL that says ${JSON.stringify(list)} is not taken for this one`, async (t) => {
    assert.equal(await isTaken(t, list), false);
  });
}

for (const list of [
  { data: [{ id: 'qwen' }] },
  { data: [{ id: 'gemma' }, { id: 'Qwen:latest' }] },
  { data: [{ id: '/models/gemma.gguf' }] },
  { data: [{ id: 'phi' }] },
  { data: [] },
  { data: 'gemma' },
  { data: [null, 'gemma', { id: 7 }] },
  ['gemma'],
  null,
  'gemma',
  '',
]) {
  test(`a list of models as ${JSON.stringify(list)} speaks against nobody`, async (t) => {
    assert.equal(await isTaken(t, list), true);
  });
}

test('a list of models that comes with an error speaks against nobody', async (t) => {
  assert.equal(await isTaken(t, { data: [{ id: 'gemma' }] }, { status: 404 }), true);
});

test('a model whose own health check tells it apart is not asked for its name', async (t) => {
  const health = { path: '/health', contains: 'qwen' };

  assert.equal(await isTaken(t, { data: [{ id: 'gemma' }] }, { more: { health } }), true);
});

const mute: readonly [what: string, answer: RequestListener][] = [
  ['does not answer', () => undefined],
  ['hangs up', (request) => request.socket.destroy()],
];

for (const [what, answer] of mute) {
  test(`a server that ${what} when it is asked for its name, but is healthy, is taken as it is`, async (t) => {
    const url = await serve(t, (request, response) => {
      if (request.url === '/health') response.end();
      else answer(request, response);
    });
    const both = [backend('qwen', url), backend('gemma', url)] as const;
    const { swapper } = openWorkshop(t, '', {}, { probeMs: 300 }, both);

    assert.equal(await swapper.isHealthy(both[0]), true);
  });
}

test('a server that is gone when it is asked for its name is not healthy', async (t) => {
  const server = createServer((_, response) => {
    server.close();
    response.end();
  }).listen(0, '127.0.0.1');
  const url = await findUrl(server);
  const both = [backend('qwen', url), backend('gemma', url)] as const;
  const { swapper } = openWorkshop(t, '', {}, {}, both);

  assert.equal(await swapper.isHealthy(both[0]), false);
});

test('a real llama-server tells by its alias that it is another model', async (t) => {
  const rig = await startLlamaRig(t, { models: { chat: { kind: 'chat' } } });
  if (rig === null) return;
  await rig.run(['chat']);
  await untilHealthy(rig.urlOf('chat'));
  const [chat, code] = [backend('chat', rig.urlOf('chat')), backend('code', rig.urlOf('chat'))];
  const { swapper } = openWorkshop(t, '', { timeoutMs: 500 }, {}, [chat, code]);

  const right = await swapper.swap(orderFor(chat), ignorePhase);
  const wrong = await swapper.swap(orderFor(code), ignorePhase);

  assert.equal(right.outcome, 'ok');
  assert.equal(wrong.outcome, 'timeout');
  assert.match(wrong.error ?? '', /after 500 ms: http:\S+ still answers as "chat"$/);
});
