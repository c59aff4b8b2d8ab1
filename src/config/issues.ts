import type { z } from 'zod';
import type { Finding, Path } from './configError.ts';
import { splitPerKey } from './fields.ts';
import { describeMissing, kindOf } from './wording.ts';

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'keys with values',
  record: 'keys with values',
};

/** Our words for what zod finds, or undefined to keep zod's. Values are not shown: they may be keys. */
export function wordIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') {
    const missing = describeMissing(issue.input);
    if (missing !== undefined) return missing;
    const wanted = `expected ${kinds[issue.expected] ?? issue.expected}`;
    if (issue.expected === 'int') return wanted;
    const isScalar = typeof issue.input !== 'object';
    const hint = issue.expected === 'string' && isScalar ? ': put it in quotes' : '';
    return `${wanted}, not ${kindOf(issue.input)}${hint}`;
  }
  if (issue.code === 'too_small') {
    if (issue.origin === 'string') return 'must not be empty';
    if (issue.origin === 'array') return 'needs at least one entry';
    return `must be ${issue.inclusive === true ? 'at least' : 'more than'} ${issue.minimum}`;
  }
  if (issue.code === 'too_big') {
    return `must be ${issue.inclusive === true ? 'at most' : 'less than'} ${issue.maximum}`;
  }
  return undefined;
}

/** One finding for each thing to put right, with the path of the key or value itself. */
export function toFindings(issue: z.core.$ZodIssue, parent: Path = []): readonly Finding[] {
  const path = [...parent, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const messages = splitPerKey(issue.message);
    return issue.keys.map((key, index) => ({
      path: [...path, key],
      message: messages[index] ?? '',
    }));
  }
  if (issue.code === 'invalid_union') {
    const nearest = issue.errors.find((errors) => !errors.some(isOtherForm));
    if (nearest !== undefined) return nearest.flatMap((error) => toFindings(error, path));
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map(({ message }) => ({ path, message }));
  }
  return [{ path, message: issue.message }];
}

/** Whether the value was not even meant in this form of a union: a number where a map could stand. */
function isOtherForm(issue: z.core.$ZodIssue): boolean {
  const codes: readonly string[] = ['invalid_type', 'invalid_value', 'invalid_union'];
  return issue.path.length === 0 && codes.includes(issue.code);
}
