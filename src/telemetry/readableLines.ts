import { styleText } from 'node:util';
import type { Writable } from 'node:stream';
import type { Outcome, RequestRecord, SwapOutcome, SwapRecord } from '../core/record.ts';
import { timesOf } from '../core/requestTimes.ts';
import type { Level, LogLines } from './logLines.ts';
import { printable } from './printable.ts';

type Colour = 'green' | 'yellow' | 'red' | 'cyan' | 'dim';

const OUTCOME_COLOURS: Readonly<Record<Outcome, Colour>> = {
  served: 'green',
  abandoned: 'dim',
  refused: 'yellow',
  rejected: 'yellow',
  failed: 'red',
  cut: 'red',
};
const SWAP_OUTCOMES: Readonly<Record<SwapOutcome, string>> = {
  ok: 'swap ok',
  script_failed: 'swap failed',
  timeout: 'swap timeout',
};
const LEVEL_COLOURS: Readonly<Record<Level, Colour>> = {
  info: 'dim',
  warn: 'yellow',
  error: 'red',
};

/** Wide enough for `499 abandoned`. */
const ENDING_WIDTH = 13;
const LONGEST_NAME = 24;
const LONGEST_ERROR = 300;

/** Lines for people, in columns, with colours where the terminal has them and NO_COLOR does not speak against it. */
export class ReadableLines implements LogLines {
  readonly #stream: Writable;
  #modelWidth = 8;
  #callerWidth = 12;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  request(record: RequestRecord): string {
    const { outcome, status, error } = record;
    return this.#line(record.endedAt, {
      model: record.model ?? record.path,
      ending: `${status} ${outcome}`,
      colour: OUTCOME_COLOURS[outcome],
      caller: record.caller,
      facts: [...waitsOf(record), ...tokensOf(record)],
      error,
    });
  }

  swap(record: SwapRecord): string {
    const { from, to, cause, outcome, scriptMs, readyMs, waited, error } = record;
    return this.#line(record.endedAt, {
      model: to,
      ending: SWAP_OUTCOMES[outcome],
      colour: outcome === 'ok' ? 'cyan' : 'red',
      caller: cause.caller ?? '',
      facts: [
        ...(from.length === 0 ? [] : [`in place of ${from.join(', ')}`]),
        `script ${duration(scriptMs)}`,
        ...(readyMs === null ? [] : [`ready ${duration(readyMs)}`]),
        `${waited} waited`,
      ],
      error,
    });
  }

  note(level: Level, _event: string, message: string, at: number): string {
    return `${this.#paint('dim', clock(at))}  ${this.#paint(LEVEL_COLOURS[level], oneLine(message, 2000))}`;
  }

  #line(at: number, row: Row): string {
    const model = oneLine(row.model, LONGEST_NAME);
    const caller = oneLine(row.caller, LONGEST_NAME);
    this.#modelWidth = Math.max(this.#modelWidth, model.length);
    this.#callerWidth = Math.max(this.#callerWidth, caller.length);
    const error = row.error === null ? [] : [oneLine(row.error, LONGEST_ERROR)];
    return [
      this.#paint('dim', clock(at)),
      model.padEnd(this.#modelWidth),
      this.#paint(row.colour, row.ending.padEnd(ENDING_WIDTH)),
      caller.padEnd(this.#callerWidth),
      [...row.facts.map((fact) => oneLine(fact, LONGEST_ERROR)), ...error].join(' · '),
    ]
      .join('  ')
      .trimEnd();
  }

  #paint(colour: Colour, text: string): string {
    return styleText(colour, text, { stream: this.#stream });
  }
}

interface Row {
  readonly model: string;
  readonly ending: string;
  readonly colour: Colour;
  readonly caller: string;
  readonly facts: readonly string[];
  readonly error: string | null;
}

/** Where its time went: only what it took, as far as it is known. */
function waitsOf(record: RequestRecord): string[] {
  const { totalMs, queueMs, swapMs, firstTokenMs, generationMs } = timesOf(record);
  return [
    ...(queueMs === 0 ? [] : [`queue ${duration(queueMs)}`]),
    ...(swapMs === 0 ? [] : [`swap ${duration(swapMs)}`]),
    ...(firstTokenMs === null ? [] : [`prompt ${duration(firstTokenMs)}`]),
    ...(generationMs === null ? [] : [`generation ${duration(generationMs)}`]),
    ...(record.dispatchedAt === null || firstTokenMs !== null
      ? []
      : [`answer ${duration(totalMs - queueMs)}`]),
  ];
}

function tokensOf({ usage, unmetered }: RequestRecord): string[] {
  if (usage === null) return unmetered === null ? [] : [`tokens unknown (${unmetered})`];
  const { inputTokens, outputTokens, outputTokensPerSecond } = usage;
  return [
    `${inputTokens ?? '?'} → ${outputTokens ?? '?'} tokens`,
    ...(outputTokensPerSecond === null ? [] : [`${outputTokensPerSecond.toFixed(1)} tok/s`]),
  ];
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function clock(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

function oneLine(text: string, longest: number): string {
  const line = printable(text.trim().replaceAll(/\s+/g, ' '));
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
