import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { untilShown } from '../support/aftermath.ts';
import { REFUSING_URL, startRawBackend } from '../support/fakeBackend.ts';
import { type RawConfig, type RunningJano, startJanoFor } from '../support/startJano.ts';

interface Limit {
  readonly config: RawConfig;
  /** How many requests are there already, for a model with one slot. */
  readonly before?: number;
  readonly isResident?: false;
  readonly status: number;
  readonly code: string;
  /** The type of the error as OpenAI and as Anthropic call it. */
  readonly types: readonly [string, string];
  /** Seconds; of a refusal that lasts for a while as many as are left of it. */
  readonly retryAfter: RegExp | null;
  readonly message: RegExp;
}

const TOO_LONG = ['server_error', 'overloaded_error'] as const;
const FULL = { status: 503, code: 'queue_full', types: TOO_LONG, retryAfter: /^10$/ } as const;

const limits: Readonly<Record<string, Limit>> = {
  'limits.body': {
    config: { limits: { body: '9B' } },
    status: 413,
    code: 'body_too_large',
    types: ['invalid_request_error', 'request_too_large'],
    retryAfter: null,
    message: /^the body is larger than limits\.body \(9 bytes\)$/,
  },
  'limits.request': {
    config: { limits: { request: '30ms' } },
    status: 504,
    code: 'backend_timeout',
    types: ['server_error', 'timeout_error'],
    retryAfter: null,
    message: /^the backend of "qwen" sent nothing for 30 ms \(limits\.request\)$/,
  },
  'queue.maxWaiting': {
    ...FULL,
    config: { queue: { maxWaiting: 1 } },
    before: 2,
    message: /^the queue is full: 1 requests wait already$/,
  },
  'queue.maxWaitingBytes': {
    ...FULL,
    config: { queue: { maxWaitingBytes: '10B' } },
    before: 2,
    message: /^the queue is full: /,
  },
  'queue.timeout': {
    config: { queue: { timeout: '30ms' } },
    before: 1,
    status: 503,
    code: 'queue_timeout',
    types: TOO_LONG,
    retryAfter: /^10$/,
    message: /^the request has waited for "qwen" longer than queue\.timeout /,
  },
  'swap.timeout': {
    config: { swap: { command: ['sh', '-c', 'sleep 1000'], timeout: '30ms' } },
    isResident: false,
    status: 503,
    code: 'swap_failed',
    types: TOO_LONG,
    retryAfter: /^(?:30|2\d)$/,
    message: /^model "qwen" could not be loaded: swap of "qwen" timed out after 30 ms: /,
  },
};

/** Jano with the limit, in front of a backend that never answers; as many requests as the limit wants are there. */
async function startLimited(t: TestContext, limit: Limit): Promise<RunningJano> {
  const { config, before = 0, isResident = true } = limit;
  const url = isResident ? await startRawBackend(t, () => undefined) : REFUSING_URL;
  const jano = await startJanoFor(t, url, config, { parallel: 1 });
  const end = new AbortController();
  t.after(() => end.abort());
  const init = { method: 'POST', signal: end.signal };
  for (let count = 1; count <= before; count++) {
    fetch(`${jano.url}/v1/x`, init).catch(() => undefined);
    await untilShown(jano, ({ running, waiting }) => running.length + waiting.length === count);
  }
  return jano;
}

for (const [name, limit] of Object.entries(limits)) {
  test(`beyond ${name} there is a ${limit.status} in the shape of the path`, async (t) => {
    const jano = await startLimited(t, limit);
    const ask = async (path: string): Promise<{ error: unknown; type?: unknown }> => {
      const response = await fetch(jano.url + path, { method: 'POST', body: '{"model":"qwen"}' });
      assert.equal(response.status, limit.status);
      assert.equal(response.headers.get('content-type'), 'application/json');
      const retryAfter = response.headers.get('retry-after');
      if (limit.retryAfter === null) assert.equal(retryAfter, null);
      else assert.match(retryAfter ?? '', limit.retryAfter);
      return Object(await response.json());
    };

    const { error: message } = await ask('/api/chat');
    const openai = await ask('/v1/chat/completions');
    const anthropic = await ask('/v1/messages');

    assert.match(String(message), limit.message);
    const [type, anthropicType] = limit.types;
    assert.deepEqual(openai, { error: { message, type, param: null, code: limit.code } });
    assert.deepEqual(anthropic, { type: 'error', error: { type: anthropicType, message } });
  });
}
