import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import { untilShown } from '../support/aftermath.ts';
import { ms, named } from '../telemetry/tracedJano.ts';
import {
  type Answered,
  askWatched,
  sha256,
  startWatched,
  type Told,
  type UntilPassed,
} from './askWatched.ts';

const CHAT = '/v1/chat/completions';
const SSE = 'text/event-stream';
const JSON_TYPE = 'application/json';
const ROLE = 'data: {"choices":[{"index":0,"delta":{"role":"assistant"}}]}\n\n';
const DELTA = 'data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}\n\n';
const DONE = 'data: [DONE]\n\n';
const TIMED = '"timings":{"predicted_n":101,"predicted_per_second":122.7}';

/** Stands still but where a test moves it. */
class Clock {
  now = 1_000_000;
  readonly read = (): number => this.now;
}

function counted(tokens: number): string {
  return `"usage":{"prompt_tokens":9,"completion_tokens":${tokens}}`;
}

/** The answer's pieces, and how long the backend takes to make each. */
type Pieces = readonly (readonly [text: string, afterMs: number])[];

function streamOf(last: string, generationMs: number): Pieces {
  return [
    [ROLE, 2000],
    [DELTA, 2000],
    [`data: {${last}}\n\n`, generationMs],
    [DONE, 0],
  ];
}

/** Sends each piece when the ones before have passed Jano. */
async function send(
  pieces: Pieces,
  clock: Clock,
  res: ServerResponse,
  untilPassed: UntilPassed,
): Promise<void> {
  let bytes = 0;
  for (const [text, afterMs] of pieces) {
    clock.now += afterMs;
    res.write(text);
    bytes += text.length;
    await untilPassed(bytes);
  }
  res.end();
}

/** Asks for this while the only slot is taken, for 2 s. */
async function askQueued(t: TestContext, pieces: Pieces): Promise<Answered & Told> {
  const clock = new Clock();
  const taken = Promise.withResolvers<ServerResponse>();
  let count = 0;
  const { jano, ask, tell } = await startWatched(
    t,
    SSE,
    (res, untilPassed) =>
      count++ === 0 ? taken.resolve(res) : send(pieces, clock, res, untilPassed),
    clock.read,
  );
  const before = ask(CHAT);
  const res = await taken.promise;
  const queued = ask(CHAT);
  await untilShown(jano, ({ waiting }) => waiting.length === 1);
  clock.now += 2000;
  res.end();
  await before;
  return { ...(await queued), ...(await tell(2)) };
}

for (const [who, last, rate, source, recentRates] of [
  ['by the router', counted(101), 100, 'observed', [null, NaN]],
  ['by its backend', TIMED, 122.7, 'backend', [122.7, 122.7]],
] as const) {
  test(`use-07: a fast answer no longer looks slow for its queue and its prompt, timed ${who}`, async (t) => {
    const pieces = streamOf(last, 1000);

    const seen = await askQueued(t, pieces);

    const body = pieces.map(([text]) => text).join('');
    assert.deepEqual([seen.status, seen.sha256], [200, sha256(Buffer.from(body))]);
    assert.partialDeepStrictEqual(seen.record, {
      status: 200,
      gen_tok_s: rate,
      gen_tok_s_source: source,
      queue_ms: 2000,
      swap_ms: 0,
      ttfb_ms: 2000,
      ttft_ms: 4000,
      generation_ms: 1000,
      total_ms: 7000,
    });
    assert.deepEqual(seen.recentRates, recentRates);
    assertTimed(seen);
  });
}

/** Of both requests there is a queue; only that of the second has a length. */
function assertTimed({ spans, attributes }: Told): void {
  const request = spans.findLast(({ name }) => name === 'chat qwen');
  const own = spans.filter(
    ({ parentSpanContext }) => parentSpanContext?.spanId === request?.spanContext().spanId,
  );
  assert.equal(ms(named(own, 'queue').duration), 2000);
  assert.equal(ms(named(own, 'upstream').duration), 5000);
  assert.deepEqual(
    ['jano.queue.wait', 'jano.swap.wait', 'gen_ai.response.time_to_first_chunk'].map(
      (name) => attributes[name],
    ),
    [2, 0, 2],
  );
}

for (const [what, tokens, generationMs, rate] of [
  ['8 tokens in 200 ms have one', 8, 200, 35],
  ['7 tokens have none', 7, 1000, null],
  ['199 ms have none', 101, 199, null],
] as const) {
  test(`use-07: a speed is no longer made of next to nothing: ${what}`, async (t) => {
    const clock = new Clock();
    const pieces = streamOf(counted(tokens), generationMs);

    const seen = await askWatched(
      t,
      CHAT,
      SSE,
      (res, untilPassed) => send(pieces, clock, res, untilPassed),
      clock.read,
    );

    assert.partialDeepStrictEqual(seen.record, {
      gen_tokens: tokens,
      gen_tok_s: rate,
      gen_tok_s_source: rate === null ? null : 'observed',
      generation_ms: generationMs,
    });
    assert.deepEqual(seen.recentRates, [null, NaN]);
  });
}

test('use-07: how long a whole answer took to arrive is no longer taken for its speed', async (t) => {
  const clock = new Clock();
  const pieces: Pieces = [
    ['{"content":"x",', 2000],
    ['"tokens_evaluated":9,"tokens_predicted":101}', 1000],
  ];

  const seen = await askWatched(
    t,
    '/completion',
    JSON_TYPE,
    (res, untilPassed) => send(pieces, clock, res, untilPassed),
    clock.read,
  );

  assert.partialDeepStrictEqual(seen.record, {
    gen_tokens: 101,
    gen_tok_s: null,
    gen_tok_s_source: null,
    total_ms: 3000,
  });
});

test('use-11: answers that took no time at all no longer spoil the mean', async (t) => {
  const answers = [
    '{"done":true,"eval_count":100,"eval_duration":2000000000}\n',
    '{"done":true,"eval_count":5,"eval_duration":0}\n',
    '{"done":true,"eval_count":1,"eval_duration":1000}\n',
    '{"timings":{"predicted_n":9,"predicted_per_second":1e999}}\n',
    '{"timings":{"predicted_n":9,"predicted_per_second":null}}\n',
  ];
  const left = [...answers];
  const { ask, tell } = await startWatched(t, 'application/x-ndjson', (res) =>
    res.end(left.shift()),
  );

  for (const _ of answers) await ask('/api/chat');
  const told = await tell(answers.length);

  assert.deepEqual(told.counted, [0, 100 + 5 + 1 + 9 + 9, 0]);
  assert.deepEqual(told.recentRates, [50, 50]);
});
