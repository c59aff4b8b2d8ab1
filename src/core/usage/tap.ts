import type { ReplyKind } from '../policy/state.ts';
import type { Unmetered } from '../record.ts';
import { type Usage, usageFrom } from './usage.ts';
import { ByteWindow } from './window.ts';

const HEAD_BYTES = 2 * 1024;
const TAIL_BYTES = 8 * 1024;

/** What a passing answer told about itself. */
export interface TapReading {
  readonly usage: Usage | null;
  readonly reply: ReplyKind;
  /** When the first generated text came, and the last event with data. */
  readonly firstTokenAt: number | null;
  readonly lastEventAt: number | null;
  readonly finishReasons: readonly string[];
  /** What the answer says went wrong, whatever its status; null when nothing did. */
  readonly error: string | null;
  /** Why `usage` is null. */
  readonly unmetered: Unmetered | null;
}

const NOTHING: TapReading = {
  usage: null,
  reply: 'plain',
  firstTokenAt: null,
  lastEventAt: null,
  finishReasons: [],
  error: null,
  unmetered: null,
};

/**
 * Looks at an answer's bytes as they pass and keeps a few kilobytes of them. Reads llama.cpp's
 * `timings`, OpenAI's `usage`, and whether the reply ended in a tool call.
 */
export class Tap {
  /** Made for the first bytes: a request that waits holds no memory for its answer. */
  #window: Pick<ByteWindow, 'push' | 'text'> | null;
  #isBroken = false;

  constructor(_contentType?: string, window: Pick<ByteWindow, 'push' | 'text'> | null = null) {
    this.#window = window;
  }

  /** Never throws: a bug in here must not end an answer, let alone the process. */
  push(bytes: Uint8Array, _at: number): void {
    if (this.#isBroken) return;
    try {
      this.#window ??= new ByteWindow(HEAD_BYTES, TAIL_BYTES);
      this.#window.push(bytes);
    } catch {
      this.#isBroken = true;
    }
  }

  end(): void {}

  /** What the bytes so far tell; nothing if they could not be read. */
  read(): TapReading {
    try {
      return this.#isBroken || this.#window === null ? NOTHING : readText(this.#window.text());
    } catch {
      return NOTHING;
    }
  }
}

function readText({ head, tail }: { head: string; tail: string }): TapReading {
  const text = head + tail;
  const usage = usageFrom({
    timings: lastObject(text, '"timings"'),
    usage: lastObject(text, '"usage"'),
  });
  return { ...NOTHING, usage, reply: endsInToolCall(text) ? 'toolCall' : 'plain' };
}

/** `"finish_reason": "tool_calls"` of OpenAI's shape, `"stop_reason": "tool_use"` of Anthropic's; in a string the quotes would be escaped. */
function endsInToolCall(text: string): boolean {
  return /(?<!\\)"(?:finish_reason|stop_reason)"\s*:\s*"(?:tool_calls|tool_use)"/.test(text);
}

/** The last object that stands behind `key`; undefined when there is none that is whole. */
function lastObject(text: string, key: string): unknown {
  for (let at = text.lastIndexOf(key); at !== -1; at = text.lastIndexOf(key, at - 1)) {
    if (text[at - 1] === '\\') continue;
    const json = objectAt(text, at + key.length);
    if (json !== undefined) return parsed(json);
    if (at === 0) return undefined;
  }
  return undefined;
}

/** The text of the object that follows a colon at `from`, by matching braces outside of strings. */
function objectAt(text: string, from: number): string | undefined {
  const start = /^\s*:\s*(?=\{)/.exec(text.slice(from, from + 16));
  if (start === null) return undefined;
  const begin = from + start[0].length;
  let depth = 0;
  let inString = false;
  for (let at = begin; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{') depth += 1;
    else if (char === '}' && --depth === 0) return text.slice(begin, at + 1);
  }
  return undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
