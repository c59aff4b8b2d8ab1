import { queryOf } from '../requestPath.ts';

/** A parameter that a route cannot use; the message is for the user. */
export class ParameterError extends Error {}

/** The parameters of a request's query; reading one throws a `ParameterError` when it is not what it should be. */
export class Parameters {
  readonly #values: URLSearchParams;

  /** Throws a `ParameterError` when there is one that is not `known`, or one twice. */
  constructor(target: string, known: readonly string[]) {
    this.#values = new URLSearchParams(queryOf(target));
    for (const name of this.#values.keys()) {
      if (!known.includes(name)) throw new ParameterError(unknown(name, known));
      if (this.#values.getAll(name).length > 1) throw new ParameterError(`${name} is given twice`);
    }
  }

  /** The text as it is; null when it is not given. */
  text(name: string): string | null {
    const value = this.#values.get(name);
    if (value === '') throw new ParameterError(`${name} is empty`);
    return value;
  }

  /** A whole number from `least` to `most`; null when it is not given. */
  whole(name: string, least: number, most: number): number | null {
    const value = this.text(name);
    if (value === null) return null;
    const number = /^\d{1,16}$/.test(value) ? Number(value) : NaN;
    if (number >= least && number <= most) return number;
    throw new ParameterError(
      `${name} must be a whole number from ${least} to ${most}, not ${shown(value)}`,
    );
  }

  /** A point in time, epoch milliseconds; null when it is not given. */
  time(name: string): number | null {
    const value = this.text(name);
    if (value === null) return null;
    const at = /^\d{1,16}$/.test(value) ? Number(value) : timeOf(value);
    if (Math.abs(at) <= LATEST) return at;
    throw new ParameterError(
      `${name} must be a time such as 2026-05-04T10:00:00Z, or milliseconds since 1970, not ${shown(value)}`,
    );
  }
}

/** What a Date can hold. */
const LATEST = 8.64e15;

const LONGEST_SHOWN = 100;

const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Of an ISO 8601 text; NaN when it is none. Without a zone it is the machine's own time, as everywhere in JavaScript. */
function timeOf(value: string): number {
  // In a query a plus that is not escaped is a blank.
  const text = value.replace(/(?<=T.*) (?=\d{2}:?\d{2}$)/i, '+');
  const [, day] = ISO.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return NaN;
  return Date.parse(
    text
      .replace(',', '.')
      .replace(/(?<=[+-]\d{2})(?=\d{2}$)/, ':')
      .toUpperCase(),
  );
}

/** Not the 30th of February, which Date.parse takes for the 2nd of March. */
function isDay(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

function unknown(name: string, known: readonly string[]): string {
  const names = known.length === 0 ? 'there are none here' : `known are: ${known.join(', ')}`;
  return `no parameter ${shown(name)}; ${names}`;
}

function shown(value: string): string {
  return JSON.stringify(value.slice(0, LONGEST_SHOWN));
}
