import { type ChatChunk, readChatStream, wordsOf } from '../rig/chatAnswer.ts';
import type { Reachable } from '../machine/asking.ts';

/** A streamed chat answer that has ended well. */
export interface StreamedAnswer {
  readonly text: string;
  /** What the server said of its own speed. */
  readonly tokensPerSecond: number;
}

/** Asks for a streamed chat answer; gives the response as it begins. */
export function openStream(
  { url }: Reachable,
  model: string,
  more: Readonly<Record<string, unknown>> = {},
  signal: AbortSignal | null = null,
): Promise<Response> {
  const messages = [{ role: 'user', content: 'Who are you?' }];
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ model, messages, stream: true, ...more }),
    signal,
  });
}

/** Reads it to its end; fails the test when it does not end with [DONE]. */
export async function readStream(response: Response): Promise<StreamedAnswer> {
  const chunks = await readChatStream(response);
  return { text: wordsOf(chunks).join(''), tokensPerSecond: speedOf(chunks) };
}

/** Both. */
export async function stream(jano: Reachable, model: string): Promise<StreamedAnswer> {
  return readStream(await openStream(jano, model));
}

function speedOf(chunks: readonly ChatChunk[]): number {
  return chunks.find(({ timings }) => timings !== undefined)?.timings?.predicted_per_second ?? NaN;
}
