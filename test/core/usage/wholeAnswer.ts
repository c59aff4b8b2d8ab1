import { z } from 'zod';

/** The figures of an answer by a reader that sees all of it at once. */
export interface Figures {
  readonly input: number | null;
  readonly cached: number | null;
  readonly output: number | null;
  readonly inputRate: number | null;
  readonly outputRate: number | null;
  readonly endsInCall: boolean;
}

type Json = Readonly<Record<string, unknown>>;

const number = z.number();
const object = z.record(z.string(), z.unknown());

/** Reads what llama-server answers by parsing each event, or the whole body; the last that is reported counts. */
export function figuresOf(body: string, type: string): Figures {
  const documents = type.startsWith('text/event-stream') ? eventsOf(body) : [parsed(body)];
  const results = documents.flatMap((json) => (Array.isArray(json) ? json : [json]));
  const timings = results.flatMap((result) => objectsAt(result, 'timings'));
  const usages = results.flatMap((result) => [
    ...objectsAt(result, 'usage'),
    ...['message', 'response'].flatMap((name) =>
      objectsAt(result, name).flatMap((inner) => objectsAt(inner, 'usage')),
    ),
  ]);
  const isList = Array.isArray(documents[0]) && results.length > 1;
  const output = isList
    ? sum(timings, 'predicted_n')
    : (last(timings, 'predicted_n') ??
      last(usages, 'completion_tokens') ??
      last(usages, 'output_tokens'));
  const rate = isList ? null : last(timings, 'predicted_per_second');
  return {
    input: isList ? sum(timings, 'prompt_n', 'cache_n') : inputOf(timings, usages),
    cached: isList ? sum(timings, 'cache_n') : cachedOf(timings, usages),
    output,
    inputRate: isList ? null : last(timings, 'prompt_per_second'),
    outputRate: (output ?? 0) < 2 ? null : rate,
    endsInCall: /"(?:tool_calls|tool_use|function_call)"/.test(endingsOf(results)),
  };
}

function inputOf(timings: readonly Json[], usages: readonly Json[]): number | null {
  const fresh = last(timings, 'prompt_n');
  if (fresh !== null) return fresh + (last(timings, 'cache_n') ?? 0);
  const input = last(usages, 'input_tokens');
  if (input === null) return last(usages, 'prompt_tokens');
  return input + (last(usages, 'cache_read_input_tokens') ?? 0);
}

function cachedOf(timings: readonly Json[], usages: readonly Json[]): number | null {
  const details = usages.flatMap((usage) =>
    ['prompt_tokens_details', 'input_tokens_details'].flatMap((name) => objectsAt(usage, name)),
  );
  return (
    last(timings, 'cache_n') ??
    last(details, 'cached_tokens') ??
    last(usages, 'cache_read_input_tokens')
  );
}

/** Finish reasons, stop reasons and types of output items, as JSON. */
function endingsOf(results: readonly unknown[]): string {
  return JSON.stringify(results, (key, value: unknown) =>
    ['content', 'arguments', 'input', 'text'].includes(key) && typeof value === 'string'
      ? undefined
      : value,
  ).replaceAll(/"(?:tool_calls|function_call)":\s*(?=[[{])/g, '');
}

function eventsOf(body: string): unknown[] {
  return body
    .split(/\r?\n\r?\n/)
    .flatMap((event) => /^data: ?(.*)$/m.exec(event)?.[1] ?? [])
    .filter((data) => data !== '[DONE]')
    .map(parsed);
}

function parsed(text: string): unknown {
  return JSON.parse(text);
}

function objectsAt(json: unknown, name: string): Json[] {
  const outer = object.safeParse(json);
  const inner = object.safeParse(outer.success ? outer.data[name] : undefined);
  return inner.success ? [inner.data] : [];
}

function last(objects: readonly Json[], name: string): number | null {
  const numbers = objects.flatMap((json) => {
    const read = number.safeParse(json[name]);
    return read.success ? [read.data] : [];
  });
  return numbers.at(-1) ?? null;
}

function sum(objects: readonly Json[], ...names: readonly string[]): number | null {
  if (objects.length === 0) return null;
  return objects.reduce(
    (total, json) => total + names.reduce((of, name) => of + Number(json[name] ?? 0), 0),
    0,
  );
}
