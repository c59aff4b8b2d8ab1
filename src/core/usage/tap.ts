import type { ReplyKind } from '../policy/state.ts';
import type { Unmetered } from '../record.ts';
import { AnswerReader } from './answerReader.ts';
import { AnswerWatch } from './answerWatch.ts';
import { type Cut, cutOf } from './framing.ts';
import { observedRate } from './observedRate.ts';
import type { Usage } from './usage.ts';

/** What a passing answer told about itself. */
export interface TapReading {
  readonly usage: Usage | null;
  readonly reply: ReplyKind;
  /** When the first generated text came, and the last event with data; null where it is no stream. */
  readonly firstTokenAt: number | null;
  readonly lastEventAt: number | null;
  /** Why generating stopped, in the backend's words; one for each choice. */
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
  unmetered: 'no_usage',
};

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Looks at an answer's bytes as they pass, and keeps numbers, not bytes. Reads server-sent events, lines
 * of JSON and whole bodies, in the shapes of llama.cpp, OpenAI, vLLM, Anthropic, Ollama and LM Studio.
 * Never throws: a bug in here must not end an answer, let alone the process.
 */
export class Tap {
  readonly #contentType: string;
  /** Made for the first bytes: a request that waits holds no memory for its answer. */
  #opened: { readonly reader: AnswerReader; readonly watch: AnswerWatch } | null = null;
  /** Null while it cannot be told, undefined when it is nothing that is understood. */
  #cut: Cut | null | undefined = null;
  /** How much of a byte order mark has passed. */
  #marks = 0;
  #isBroken = false;

  constructor(contentType = '') {
    this.#contentType = contentType;
  }

  /** `at`: when they came, epoch milliseconds. */
  push(bytes: Uint8Array, at: number): void {
    this.#guard(() => {
      const { watch } = (this.#opened ??= open());
      watch.now = at;
      const rest = this.#cut === null ? this.#withoutMark(bytes) : bytes;
      if (this.#cut === null && rest.length > 0) this.#cut = cutOf(this.#contentType, rest, watch);
      this.#cut?.framing.push(rest);
    });
  }

  /** No more comes: what was not ended properly is taken as it is. */
  end(): void {
    this.#guard(() => this.#cut?.framing.end());
  }

  /** What the bytes so far tell; nothing if they could not be read. */
  read(): TapReading {
    try {
      if (this.#isBroken) return { ...NOTHING, unmetered: 'unreadable' };
      return this.#opened === null ? NOTHING : this.#reading(this.#opened);
    } catch {
      return { ...NOTHING, unmetered: 'unreadable' };
    }
  }

  #reading({ reader, watch }: { reader: AnswerReader; watch: AnswerWatch }): TapReading {
    const { usage, hasClock, endsInCall, finishReasons, error } = reader.facts();
    const isStream = this.#cut?.isStream === true;
    const firstTokenAt = isStream ? watch.firstTextAt : null;
    const lastEventAt = isStream ? watch.lastEndAt : null;
    return {
      usage: hasClock ? usage : withObservedRate(usage, firstTokenAt, lastEventAt),
      reply: endsInCall ? 'toolCall' : 'plain',
      firstTokenAt,
      lastEventAt,
      finishReasons,
      error,
      unmetered: usage === null ? this.#whyUnmetered(watch) : null,
    };
  }

  #whyUnmetered({ lastState }: AnswerWatch): Unmetered {
    if (this.#cut === null) return 'no_usage';
    if (this.#cut === undefined) return 'not_json';
    if (lastState === 'inside') return 'unreadable';
    // Of a stream it may be [DONE].
    if (lastState === 'broken' && !this.#cut.isStream) return 'unreadable';
    return lastState === 'closed' || this.#cut.isCertain ? 'no_usage' : 'not_json';
  }

  #withoutMark(bytes: Uint8Array): Uint8Array {
    let at = 0;
    while (at < bytes.length && this.#marks < 3 && bytes[at] === BYTE_ORDER_MARK[this.#marks]) {
      this.#marks += 1;
      at += 1;
    }
    return bytes.subarray(at);
  }

  #guard(work: () => void): void {
    if (this.#isBroken) return;
    try {
      work();
    } catch {
      this.#isBroken = true;
    }
  }
}

function open(): { reader: AnswerReader; watch: AnswerWatch } {
  const reader = new AnswerReader();
  return { reader, watch: new AnswerWatch(reader) };
}

function withObservedRate(
  usage: Usage | null,
  firstTokenAt: number | null,
  lastEventAt: number | null,
): Usage | null {
  if (usage === null || usage.outputTokensPerSecond !== null) return usage;
  const rate = observedRate(usage.outputTokens, firstTokenAt, lastEventAt);
  if (rate === null) return usage;
  return { ...usage, outputTokensPerSecond: rate, outputRateSource: 'observed' };
}
