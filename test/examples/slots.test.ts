import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startExampleServer, type ExampleServer } from '../rig/exampleServer.ts';
import { askStatus, until } from '../rig/polling.ts';

const ENDLESS = { prompt: 'Go on.', ignore_eos: true };
const SHORT = { prompt: 'Go on.', n_predict: 1 };

test('a stream whose caller left frees its slot', async (t) => {
  const server = await startExampleServer(t, '--slots', '1');
  const caller = new AbortController();
  await server.post('/completion', { ...ENDLESS, stream: true }, caller.signal);
  await untilBusy(server);

  caller.abort();

  await untilFree(server);
});

test('a caller that leaves before its whole answer is made frees its slot', async (t) => {
  const server = await startExampleServer(t, '--slots', '1');
  const caller = new AbortController();
  const answer = server.post('/completion', ENDLESS, caller.signal);
  await untilBusy(server);

  caller.abort();

  await assert.rejects(answer, { name: 'AbortError' });
  await untilFree(server);
});

test('a request beyond the slots gets its head at once and its words when a slot is free', async (t) => {
  const server = await startExampleServer(t, '--slots', '1');
  const caller = new AbortController();
  await server.post('/completion', { ...ENDLESS, stream: true }, caller.signal);
  await untilBusy(server);
  const second = await server.post('/completion', { ...SHORT, stream: true });
  const order: string[] = [];
  const words = second.text().then((text) => order.push('words', text));
  await untilBusy(server);

  order.push('slot free');
  caller.abort();
  await words;

  assert.deepEqual(order.slice(0, 2), ['slot free', 'words']);
  assert.match(order[2] ?? '', /example-chat/);
});

test('requests that wait for a slot get it in the order in which they came', async (t) => {
  const server = await startExampleServer(t, '--slots', '1', '--words-per-second', '100');
  const request = { prompt: '', n_predict: 9, stream: true };
  const answers: Response[] = [];
  for (let n = 0; n < 3; n++) answers.push(await server.post('/completion', request));

  const order: number[] = [];
  await Promise.all(answers.map((answer, n) => answer.text().then(() => order.push(n))));

  assert.deepEqual(order, [0, 1, 2]);
});

test('a caller that leaves while it waits is forgotten', async (t) => {
  const server = await startExampleServer(t, '--slots', '1');
  const [running, waiting] = [new AbortController(), new AbortController()];
  await server.post('/completion', { ...ENDLESS, stream: true }, running.signal);
  await server.post('/completion', { ...ENDLESS, stream: true }, waiting.signal);

  waiting.abort();
  running.abort();

  await untilFree(server);
});

async function untilBusy(server: ExampleServer): Promise<void> {
  const slots = `${server.url}/slots?fail_on_no_slot=1`;
  await until('all slots are taken', async () => (await askStatus(slots)) === 503);
}

async function untilFree(server: ExampleServer): Promise<void> {
  await until('no slot is taken', async () => {
    const slots = await fetch(`${server.url}/slots`);
    return !(await slots.text()).includes('"is_processing":true');
  });
}
