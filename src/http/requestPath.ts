/** The request target as origin-form: what stands behind the host, byte for byte; `*` stays. */
export function pathOf(target: string): string {
  if (target.startsWith('/') || target === '*') return target;
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target);
  if (absolute === null) return `/${target}`;
  const rest = target.slice(absolute[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The path without its query. */
export function withoutQuery(path: string): string {
  const mark = path.indexOf('?');
  return mark === -1 ? path : path.slice(0, mark);
}

/** The query, without its question mark; empty when there is none. */
export function queryOf(path: string): string {
  const mark = path.indexOf('?');
  return mark === -1 ? '' : path.slice(mark + 1);
}

/** The first value of a query parameter; undefined when it is not there or empty. */
export function queryValue(path: string, name: string): string | undefined {
  return new URLSearchParams(queryOf(path)).get(name) || undefined;
}
