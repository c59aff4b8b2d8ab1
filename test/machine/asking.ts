import { z } from 'zod';

const chatAnswer = z.object({
  choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]),
});

const problem = z.object({ error: z.object({ message: z.string(), code: z.string() }) });

/** What a caller sees in the end. */
export interface Reply {
  readonly status: number;
  /** What the model said, or what was wrong. */
  readonly text: string;
  readonly retryAfter: string | null;
}

/** Retry-After of a refused model: what is left of its 30 s, of which a busy machine takes some. */
export const UP_TO_30_SECONDS = /^(?:30|[12]\d)$/;

/** Anything that is reached under a URL. */
export interface Reachable {
  readonly url: string;
}

/** Sends a chat request and waits for the whole answer; rejects when the connection breaks. */
export async function ask(
  { url }: Reachable,
  model: string,
  { caller = 'someone', signal }: { caller?: string; signal?: AbortSignal } = {},
): Promise<Reply> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Caller': caller },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Who are you?' }] }),
    signal: signal ?? null,
  });
  const body: unknown = await response.json();
  return {
    status: response.status,
    text: response.ok
      ? chatAnswer.parse(body).choices[0].message.content
      : problem.parse(body).error.message,
    retryAfter: response.headers.get('Retry-After'),
  };
}

/** Asks for these models at once, one request each, by callers of their own. */
export function askAll(jano: Reachable, models: readonly string[]): Promise<Reply[]> {
  return Promise.all(models.map((model, index) => ask(jano, model, { caller: `caller ${index}` })));
}

/** A good answer of the model. */
export function goodReply(model: string): Reply {
  return { status: 200, text: `${model} says hello`, retryAfter: null };
}
