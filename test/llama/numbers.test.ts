import assert from 'node:assert/strict';
import { test } from 'node:test';
import supertest from 'supertest';
import { readChat } from '../rig/chatAnswer.ts';
import { startLlamaRig } from '../rig/llamaRig.ts';
import { untilRecorded } from '../support/aftermath.ts';
import { startJanoOn } from './rigJano.ts';

test('after one request of 48 tokens /status and /usage say what the server said', async (t) => {
  const rig = await startLlamaRig(t, {
    models: { chat: { kind: 'chat' }, code: { kind: 'code' } },
  });
  if (rig === null) return;
  const jano = await startJanoOn(t, rig, ['chat', 'code'], 'chat');
  const messages = [{ role: 'user', content: 'Who are you?' }];

  const response = await fetch(`${jano.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Caller': 'anna' },
    body: JSON.stringify({ model: 'chat', messages, max_tokens: 48, ignore_eos: true }),
  });
  const { timings } = await readChat(response);
  await untilRecorded(jano, 1);
  const { body: status } = await supertest(jano.server).get('/status').expect(200);
  const { body: usage } = await supertest(jano.server).get('/usage').expect(200);

  const promptTokens = timings.prompt_n + timings.cache_n;
  assert.equal(timings.predicted_n, 48);
  assert.partialDeepStrictEqual(status, {
    ok: true,
    currentModel: 'chat',
    queueDepth: 0,
    inFlight: 0,
    requestsServedTotal: 1,
    requestsByModel: { chat: 1, code: 0 },
    tokensGeneratedTotal: 48,
    tokensByModel: { chat: 48, code: 0 },
    promptTokensTotal: promptTokens,
    recentGenTokS: Math.round(timings.predicted_per_second * 10) / 10,
    recentPromptTokS: Math.round(timings.prompt_per_second * 10) / 10,
    lastSwapDurationMs: null,
    swapsTotal: 0,
    errorsLast15m: 0,
    lastError: null,
    backendHealth: { chat: 'up', code: 'unknown' },
  });
  assert.equal(usage.count, 1);
  assert.partialDeepStrictEqual(usage.records[0], {
    model: 'chat',
    status: 200,
    prompt_tokens: promptTokens,
    gen_tokens: 48,
    gen_tok_s: timings.predicted_per_second,
    prompt_tok_s: timings.prompt_per_second,
    id: 1,
    trace_id: null,
    caller: 'anna',
    method: 'POST',
    path: '/v1/chat/completions',
    stream: false,
    outcome: 'served',
    swap_ms: 0,
    cached_tokens: timings.cache_n,
    draft_tokens: null,
    draft_accepted_tokens: null,
    load_ms: null,
    gen_tok_s_source: 'backend',
    unmetered: null,
    error: null,
  });
});
