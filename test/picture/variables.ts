/** Values by name; several of one stand for any of them. */
export type Variables = Readonly<Record<string, string | readonly string[]>>;

/** Puts in what `$name`, `${name}` and `${name:format}` stand for; a name that is none of them stays. */
export function substitute(text: string, variables: Variables): string {
  return text.replace(/\$\{(\w+)(?::\w+)?\}|\$(\w+)/g, (whole, braced?: string, bare?: string) => {
    const value = variables[braced ?? bare ?? ''];
    if (value === undefined) return whole;
    return typeof value === 'string' ? value : `(${value.map(escapeRegex).join('|')})`;
  });
}

/** In seconds: so long that a rate always has some scrapes to look at. */
export function rateInterval(stepS: number, scrapeS: number): number {
  return Math.max(stepS + scrapeS, 4 * scrapeS);
}

/** In seconds, of `30s` or `2m`. */
export function secondsOf(interval: string): number {
  return Number.parseInt(interval, 10) * (interval.endsWith('m') ? 60 : 1);
}

/** Twice, as it stands in a string of PromQL. */
function escapeRegex(text: string): string {
  return text.replace(/[\\^$*+?.()|[\]{}]/g, String.raw`\\$&`);
}
