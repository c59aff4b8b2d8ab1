import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import supertest from 'supertest';
import { z } from 'zod';
import { untilRecorded, untilShown } from '../support/aftermath.ts';
import { type Answer, startBackend } from '../support/fakeBackend.ts';
import { type RunningJano, startJano, startJanoFor } from '../support/startJano.ts';

const PUBLISHED = `ts model status total_ms ttfb_ms prompt_tokens gen_tokens gen_tok_s prompt_tok_s
  id trace_id caller method path stream outcome queue_ms swap_ms ttft_ms generation_ms cached_tokens
  reasoning_tokens draft_tokens draft_accepted_tokens load_ms gen_tok_s_source unmetered error`;

const NOON = Date.parse('2026-05-04T12:00:00Z');

const listed = z.object({ count: z.number(), records: z.array(z.record(z.string(), z.unknown())) });

/** Jano with a clock that stands still until it is set. */
interface ClockedJano extends RunningJano {
  readonly clock: { now: number };
}

test('a record has what is published, in that order, with the numbers of the answer', async (t) => {
  const prompt = { prompt_n: 7, cache_n: 3, prompt_per_second: 350.5 };
  const timings = { ...prompt, predicted_n: 20, predicted_per_second: 42.25 };
  const jano = await openClocked(t, (_req, res) => {
    jano.clock.now += 3000;
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ timings }));
  });

  await post(jano, { path: '/v1/chat/completions?key=secret', caller: 'anna' });
  const [record = {}] = await recordsOf(jano, 1);

  assert.deepEqual(Object.keys(record), PUBLISHED.split(/\s+/));
  // What only the tap can tell is shown elsewhere.
  const { ttft_ms: _, generation_ms: __, unmetered: ___, ...shown } = record;
  assert.deepEqual(shown, {
    ts: '2026-05-04T12:00:03.000Z',
    model: 'qwen',
    status: 200,
    total_ms: 3000,
    ttfb_ms: 3000,
    prompt_tokens: 10,
    gen_tokens: 20,
    gen_tok_s: 42.25,
    prompt_tok_s: 350.5,
    id: 1,
    trace_id: null,
    caller: 'anna',
    method: 'POST',
    path: '/v1/chat/completions',
    stream: false,
    outcome: 'served',
    queue_ms: 0,
    swap_ms: 0,
    cached_tokens: 3,
    reasoning_tokens: null,
    draft_tokens: null,
    draft_accepted_tokens: null,
    load_ms: null,
    gen_tok_s_source: 'backend',
    error: null,
  });
});

test('a reload that the backend did by itself, reasoning and drafts are told where it tells them', async (t) => {
  const reasoning = '"completion_tokens_details":{"reasoning_tokens":40}';
  const answer = `{"load_duration":1234567890,"usage":{"completion_tokens":50,${reasoning}},"timings":{"predicted_n":50,"draft_n":20,"draft_n_accepted":12}}`;
  const jano = await openClocked(t, (_req, res) => res.end(answer));

  await post(jano);

  const told = { load_ms: 1235, reasoning_tokens: 40, draft_tokens: 20, draft_accepted_tokens: 12 };
  assert.partialDeepStrictEqual(await recordsOf(jano, 1), [{ gen_tokens: 50, ...told }]);
});

test('a request that was never sent waited until its end, and nothing else is known of it', async (t) => {
  const jano = await openClocked(t, (_req, res) => res.end());

  await post(jano, { body: '{"model":"gpt-9"}' });
  const [record = {}] = await recordsOf(jano, 1);

  assert.partialDeepStrictEqual(record, {
    model: null,
    status: 404,
    outcome: 'rejected',
    queue_ms: 0,
    swap_ms: 0,
    total_ms: 0,
    error: 'no model "gpt-9"; configured are: qwen, gemma',
  });
  for (const name of ['ttfb_ms', 'ttft_ms', 'generation_ms', 'prompt_tokens', 'gen_tok_s']) {
    assert.equal(record[name], null, name);
  }
});

test('what waited is told apart from what was worked on, also when the clock is set back', async (t) => {
  const answers: (() => void)[] = [];
  const jano = await openClocked(t, (_req, res) => void answers.push(() => res.end('{}')));
  const asked = [post(jano), post(jano)];
  await untilShown(jano, ({ waiting }) => waiting.length === 1 && answers.length === 1);

  jano.clock.now += 2000;
  answers.shift()?.();
  await untilShown(jano, () => answers.length === 1);
  jano.clock.now -= 5000;
  answers.shift()?.();
  await Promise.all(asked);
  const [second, first] = await recordsOf(jano, 2);

  assert.partialDeepStrictEqual(first, { queue_ms: 0, total_ms: 2000, ttfb_ms: 2000 });
  assert.partialDeepStrictEqual(second, { queue_ms: 2000, total_ms: 0, ttfb_ms: 0 });
});

test('the newest are listed first: 50 unless told otherwise, of those that are kept', async (t) => {
  const url = await startBackend(t, (_req, res) => res.end());
  const jano = await startJanoFor(t, url, { usage: { records: 60 } });
  for (let count = 0; count < 70; count++) await post(jano);
  await untilShown(jano, ({ ledger }) => ledger.requests.newest(1)[0]?.id === 70);

  assert.deepEqual(idsIn(await list(jano, '')), range(70, 21));
  assert.deepEqual(idsIn(await list(jano, '?limit=1')), [70]);
  assert.deepEqual(idsIn(await list(jano, '?limit=10000')), range(70, 11));
});

test('pages follow one another by the id of the last record, in the order of the ends', async (t) => {
  const answers: (() => void)[] = [];
  const jano = await openClocked(t, (_req, res) => void answers.push(() => res.end()), 4);
  const asked: Promise<unknown>[] = [];
  for (let count = 1; count <= 4; count++) {
    asked.push(post(jano));
    await untilShown(jano, () => answers.length === count);
  }
  for (const at of [2, 0, 3, 1]) {
    answers[at]?.();
    await untilShown(jano, ({ ledger }) => ledger.requests.newest(1)[0]?.id === at + 1);
  }
  await Promise.all(asked);

  assert.deepEqual(idsIn(await list(jano, '?limit=3')), [2, 4, 1]);
  assert.deepEqual(idsIn(await list(jano, '?limit=3&before=1')), [3]);
  assert.deepEqual(idsIn(await list(jano, '?before=3')), []);
  assert.deepEqual(idsIn(await list(jano, '?before=99')), []);
});

test('records can be chosen by model, caller and time', async (t) => {
  const jano = await openClocked(t, (_req, res) => res.end(), 4);
  for (const [model, caller] of [
    ['qwen', 'anna'],
    ['gemma', 'ben & eve'],
    ['QWEN:latest', 'ben & eve'],
    ['nobody', 'anna'],
  ]) {
    await post(jano, { body: JSON.stringify({ model }), ...(caller && { caller }) });
    await untilRecorded(jano, jano.snapshot().ledger.requests.newest().length);
    jano.clock.now += 1000;
  }
  await untilRecorded(jano, 4);

  for (const [query, ids] of Object.entries({
    'model=qwen': [3, 1],
    'model=CHAT': [3, 1],
    'model=qwen%3Alatest&limit=1': [3],
    'caller=anna': [4, 1],
    'caller=Anna': [],
    'caller=ben+%26+eve&model=gemma': [2],
    'since=2026-05-04T12:00:02Z': [4, 3],
    'since=2026-05-04T14:00:02.000%2B02:00': [4, 3],
    // As one types it, unescaped.
    'since=2026-05-04T14:00:02+0200': [4, 3],
    [`since=${NOON + 2001}`]: [4],
    'since=2026-05-05': [],
    'since=0&before=3': [2, 1],
  })) {
    assert.deepEqual(idsIn(await list(jano, `?${query}`)), ids, query);
  }
});

test('a parameter that cannot be used is a 400 that says what is wrong', async (t) => {
  const jano = await openClocked(t, (_req, res) => res.end());

  for (const [query, message] of [
    ['usage?model=', 'model is empty'],
    ['usage?model=gpt-9', 'no model "gpt-9"; configured are: qwen, gemma'],
    ['usage?caller', 'caller is empty'],
    ['usage?caller=a&caller=a', 'caller is given twice'],
    ['usage?before=0', /^before must be a whole number from 1 to 9007199254740991, not "0"$/],
    ['usage?before=9007199254740992', /^before must be/],
    ['usage?since=yesterday', /^since must be a time such as .*, not "yesterday"$/],
    ['usage?since=2026-02-30', /^since must be/],
    ['usage?since=2026-05-04T25:00Z', /^since must be/],
    ['usage?since=9999999999999999', /^since must be/],
    ['usage?since=-1', /^since must be/],
    ['usage?since=1e3', /^since must be/],
    ['usage?Limit=1', 'no parameter "Limit"; known are: limit, model, caller, since, before'],
    ['usage?__proto__=1', /^no parameter "__proto__"/],
    ['swaps?model=qwen', 'no parameter "model"; known are: limit'],
    ['swaps?limit=', 'limit is empty'],
    ['usage/callers?limit=5', 'no parameter "limit"; there are none here'],
  ] as const) {
    const { body, headers } = await supertest(jano.server).get(`/${query}`).expect(400);
    assert.match(headers['content-type'] ?? '', /^application\/json/);
    const { error } = body;
    assert.equal(error.code, 'invalid_parameter');
    if (typeof message === 'string') assert.equal(error.message, message);
    else assert.match(error.message, message);
  }
});

async function openClocked(t: TestContext, answer: Answer, parallel = 1): Promise<ClockedJano> {
  const clock = { now: NOON };
  // Where they share one, Jano asks it whose it is.
  const [url, other] = [await startBackend(t, answer), await startBackend(t, answer)];
  const models = [
    { name: 'qwen', url, parallel, aliases: ['chat'], pinned: true },
    { name: 'gemma', url: other, parallel, pinned: true },
  ];
  const raw = { models, default: 'qwen' };
  return { clock, ...(await startJano(t, raw, undefined, { now: () => clock.now })) };
}

async function post(
  jano: RunningJano,
  { path = '/v1/chat/completions', body = '{}', caller = 'me' } = {},
): Promise<void> {
  const headers = { 'x-caller': caller, 'content-type': 'application/json' };
  await (await fetch(jano.url + path, { method: 'POST', body, headers })).arrayBuffer();
}

async function recordsOf(jano: RunningJano, count: number): Promise<Record<string, unknown>[]> {
  await untilRecorded(jano, count);
  return (await list(jano, '')).records;
}

async function list({ server }: RunningJano, query: string): Promise<z.infer<typeof listed>> {
  const { body } = await supertest(server).get(`/usage${query}`).expect(200);
  return listed.parse(body);
}

function idsIn({ count, records }: z.infer<typeof listed>): unknown[] {
  assert.equal(count, records.length);
  return records.map(({ id }) => id);
}

function range(from: number, downTo: number): number[] {
  return Array.from({ length: from - downTo + 1 }, (_, at) => from - at);
}
