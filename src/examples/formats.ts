import type { Generation, Timings } from './generation.ts';
import { countWords } from './recital.ts';
import { isObject, type RequestBody } from './requestBody.ts';
import { BUILD, RefusedError } from './wire.ts';

/** One answer in the making: what its events and its whole need to know. */
export interface Answer {
  readonly id: string;
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly slotId: number;
  readonly body: RequestBody;
  readonly generation: Generation;
}

/** How one of llama-server's generating routes reads requests and writes answers. */
export interface Format {
  /** Whether a stream ends with `data: [DONE]`. */
  readonly hasDoneMark: boolean;
  /** Words of the prompt; throws a RefusedError when there is none to be found. */
  countInput(body: RequestBody): number;
  /** The stream's events for a word just generated. */
  showWord(answer: Answer, word: string): readonly object[];
  /** The stream's last events. */
  showEnd(answer: Answer): readonly object[];
  /** The answer when it is not streamed. */
  showWhole(answer: Answer, text: string): object;
}

/** /v1/chat/completions */
export const chatFormat: Format = {
  hasDoneMark: true,
  countInput: ({ messages }) => {
    if (messages === undefined) throw new RefusedError(400, "'messages' is required");
    if (!Array.isArray(messages)) throw new RefusedError(400, "Expected 'messages' to be an array");
    return messages.reduce<number>((sum, message) => sum + countContent(message), 0);
  },
  showWord: (answer, word) => {
    const event = chatEvent(answer, { content: word }, null);
    if (answer.generation.outputTokens > 1) return [event];
    return [chatEvent(answer, { role: 'assistant', content: null }, null), event];
  },
  showEnd: (answer) => {
    const { generation } = answer;
    const end = chatEvent(answer, {}, generation.finishReason);
    const timings = generation.takeTimings();
    const options = answer.body['stream_options'];
    if (!isObject(options) || options['include_usage'] !== true) return [{ ...end, timings }];
    return [end, { ...end, choices: [], usage: showUsage(timings), timings }];
  },
  showWhole: ({ id, created, model, generation }, text) => {
    const timings = generation.takeTimings();
    const message = { role: 'assistant', content: text };
    return {
      choices: [{ finish_reason: generation.finishReason, index: 0, message }],
      created,
      model,
      system_fingerprint: BUILD,
      object: 'chat.completion',
      usage: showUsage(timings),
      id,
      timings,
    };
  },
};

/** /v1/completions */
export const textFormat: Format = {
  hasDoneMark: true,
  countInput: countPrompt,
  showWord: (answer, word) => [textAnswer(answer, word, null)],
  showEnd: (answer) => [textFormat.showWhole(answer, '')],
  showWhole: (answer, text) => {
    const timings = answer.generation.takeTimings();
    const whole = textAnswer(answer, text, answer.generation.finishReason);
    return { ...whole, usage: showUsage(timings), timings };
  },
};

/** /completion */
export const nativeFormat: Format = {
  hasDoneMark: false,
  countInput: countPrompt,
  showWord: ({ generation }, word) => [
    {
      index: 0,
      content: word,
      tokens: [],
      stop: false,
      id_slot: -1,
      tokens_predicted: generation.outputTokens,
      tokens_evaluated: generation.order.inputTokens,
    },
  ],
  showEnd: (answer) => [nativeFormat.showWhole(answer, '')],
  showWhole: ({ model, slotId, body, generation }, text) => {
    const timings = generation.takeTimings();
    return {
      index: 0,
      content: text,
      tokens: [],
      id_slot: slotId,
      stop: true,
      model,
      tokens_predicted: timings.predicted_n,
      tokens_evaluated: timings.prompt_n,
      prompt: body['prompt'],
      truncated: false,
      stop_type: generation.finishReason === 'length' ? 'limit' : 'eos',
      stopping_word: '',
      tokens_cached: timings.prompt_n + timings.predicted_n - 1,
      timings,
    };
  },
};

function countContent(message: unknown): number {
  const content = isObject(message) ? message['content'] : undefined;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [{ text: content }];
  return parts.reduce<number>((sum, part) => {
    const text = isObject(part) ? part['text'] : undefined;
    return typeof text === 'string' ? sum + countWords(text) : sum;
  }, 0);
}

function countPrompt({ prompt }: RequestBody): number {
  if (typeof prompt === 'string') return countWords(prompt);
  if (Array.isArray(prompt) && prompt.every((token) => typeof token === 'number')) {
    return prompt.length;
  }
  throw new RefusedError(400, '"prompt" must be a string or a list of tokens');
}

function chatEvent({ created, id, model }: Answer, delta: object, finishReason: string | null) {
  return {
    choices: [{ finish_reason: finishReason, index: 0, delta }],
    created,
    id,
    model,
    system_fingerprint: BUILD,
    object: 'chat.completion.chunk',
  };
}

function textAnswer({ created, id, model }: Answer, text: string, finishReason: string | null) {
  return {
    choices: [{ text, index: 0, logprobs: null, finish_reason: finishReason }],
    created,
    model,
    system_fingerprint: BUILD,
    object: 'text_completion',
    id,
  };
}

function showUsage(timings: Timings): object {
  return {
    completion_tokens: timings.predicted_n,
    prompt_tokens: timings.prompt_n,
    total_tokens: timings.prompt_n + timings.predicted_n,
    prompt_tokens_details: { cached_tokens: timings.cache_n },
  };
}
