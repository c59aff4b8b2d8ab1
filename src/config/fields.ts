import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import { parseListen } from './listen.ts';
import { suggest } from './suggestion.ts';
import { describeWrong } from './wording.ts';

/** Keys that other programs, or the original, use for ours. */
const otherNames: Readonly<Record<string, string>> = {
  passthrough: 'pinned',
  model: 'name',
  host: 'listen',
  port: 'listen',
};

/** A map of known keys; each other key is a problem of its own, with the key that was probably meant. */
export function section<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? // zod has one message for all unknown keys of a map: `splitPerKey` takes it apart.
          issue.keys.map((key) => `unknown key${suggestKey(key, known)}`).join('\n')
        : undefined,
  });
}

/** The messages for the unknown keys of a section, in the order of the keys. */
export function splitPerKey(message: string): readonly string[] {
  return message.split('\n');
}

/** One of several forms; a value of none of them is told what was expected. */
export function oneOf<const Options extends readonly z.core.SomeType[]>(
  options: Options,
  expected: string,
) {
  return z.union(options, { error: ({ input }) => describeWrong(input, expected) });
}

/** Text that is not empty. */
export const text = z.string().min(1, { abort: true });

/** The name of a model or an alias. */
export const modelName = text.refine((name) => /^\P{Cc}*$/u.test(name) && name.trim() === name, {
  error: 'must not begin or end with a blank or hold control characters',
});

/** Base URL of a backend, without its trailing slashes. */
export const backendUrl = text
  .superRefine((written, context) => {
    const message = findUrlFault(URL.parse(written));
    // The URL itself is not shown: it may hold a password.
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .transform((written) => new URL(written).href.replace(/\/+$/, ''));

/** An address to listen on, see `parseListen`. */
export const listenAddress = oneOf(
  [z.string(), z.int().min(0).max(65_535)],
  'host:port, such as 127.0.0.1:8082',
).transform((written, context) => {
  const listen = parseListen(String(written));
  if (listen !== undefined) return listen;
  const message = `"${written}": expected host:port, such as 127.0.0.1:8082, with a port up to 65535`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

const urlPath = z.string().regex(/^\/\S*$/, {
  error: ({ input }) => `"${String(input)}": expected a path that begins with /`,
});

/** How to see that a model can serve: a path, or a path and the text its answer must hold. */
export const healthCheck = oneOf(
  [urlPath, section({ path: urlPath, contains: text.nullable().default(null) })],
  'a path such as /health, or keys `path` and `contains`',
).transform((check) => (typeof check === 'string' ? { path: check, contains: null } : check));

/** The name of an HTTP header. */
export const headerName = z.string().refine((name) => passes(() => validateHeaderName(name)), {
  error: 'is not a valid header name',
});

/** The value of an HTTP header. */
export const headerValue = z
  .string()
  .refine((value) => passes(() => validateHeaderValue('x', value)), {
    error: 'holds a character that no header can carry',
  });

/** A key that callers can send in a header. */
export const callerKey = z.string().regex(/^[\x21-\x7e]+$/, {
  error: ({ input }) =>
    input === ''
      ? 'must not be empty'
      : 'must be printable ASCII without blanks, as callers send it in a header',
});

/** A file's path. */
export const filePath = text.regex(/^(?!~)/, {
  error: '"~" is not expanded here: write ${env.HOME}',
});

function suggestKey(key: string, known: readonly string[]): string {
  const other = otherNames[key];
  if (other !== undefined && known.includes(other)) return `; here it is "${other}"`;
  return suggest(key, known);
}

function findUrlFault(url: URL | null): string | undefined {
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return 'must be an http:// or https:// URL, such as http://127.0.0.1:8081';
  }
  if (url.search !== '' || url.hash !== '') return 'must have no query and no #';
  if (url.username !== '' || url.password !== '') {
    return 'must hold no user name or password: use `headers` for an Authorization';
  }
  return undefined;
}

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
