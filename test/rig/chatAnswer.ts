import assert from 'node:assert/strict';
import { z } from 'zod';

const timings = z.object({
  cache_n: z.number(),
  prompt_n: z.number(),
  prompt_ms: z.number(),
  prompt_per_token_ms: z.number(),
  prompt_per_second: z.number(),
  predicted_n: z.number(),
  predicted_ms: z.number(),
  predicted_per_token_ms: z.number(),
  predicted_per_second: z.number(),
});

const usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
});

const chunk = z.object({
  choices: z.array(
    z.object({
      finish_reason: z.string().nullable(),
      delta: z.object({ content: z.string().nullish() }),
    }),
  ),
  usage: usage.optional(),
  timings: timings.optional(),
});

const whole = z.object({
  choices: z.tuple([
    z.object({ finish_reason: z.string(), message: z.object({ content: z.string() }) }),
  ]),
  usage,
  timings,
});

/** One event of a streamed chat answer. */
export type ChatChunk = z.infer<typeof chunk>;

/** A whole chat answer that was not streamed; fails the test when it isn't one. */
export async function readChat(response: Response): Promise<z.infer<typeof whole>> {
  assert.equal(response.status, 200);
  return whole.parse(await response.json());
}

/** All events of a streamed chat answer; fails the test when it isn't one, or does not end with [DONE]. */
export async function readChatStream(response: Response): Promise<readonly ChatChunk[]> {
  assert.equal(response.headers.get('Content-Type'), 'text/event-stream');
  const events = await readEvents(response);
  assert.equal(events.at(-1), '[DONE]');
  return events.slice(0, -1).map((data) => chunk.parse(JSON.parse(data)));
}

/** What the events of a whole stream hold. */
export async function readEvents(response: Response): Promise<readonly string[]> {
  const text = await response.text();
  assert.ok(text.endsWith('\n\n'));
  return text
    .trimEnd()
    .split('\n\n')
    .map((event) => event.replace(/^data: /, ''));
}

/** The words of a streamed answer, as they came. */
export function wordsOf(chunks: readonly ChatChunk[]): readonly string[] {
  return chunks.flatMap(({ choices }) => choices[0]?.delta.content ?? []);
}
