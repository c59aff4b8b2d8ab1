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

/** The first value of a query parameter; undefined when it is not there or empty. */
export function queryValue(path: string, name: string): string | undefined {
  const mark = path.indexOf('?');
  if (mark === -1) return undefined;
  return new URLSearchParams(path.slice(mark + 1)).get(name) || undefined;
}
