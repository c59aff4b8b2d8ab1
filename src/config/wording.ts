/** How a value of the wrong kind is named in a message. Scalars are shown; do not use it for secrets. */
export function describeWrong(input: unknown, expected: string): string {
  const missing = describeMissing(input);
  if (missing !== undefined) return missing;
  const shown = show(input);
  return shown === undefined
    ? `expected ${expected}, not ${kindOf(input)}`
    : `${shown}: expected ${expected}`;
}

/** A scalar in quotes, or undefined for anything else. */
export function show(input: unknown): string | undefined {
  const isScalar =
    typeof input === 'string' || typeof input === 'number' || typeof input === 'boolean';
  return isScalar ? `"${input}"` : undefined;
}

/** What to say of a value that is not there, or undefined when it is. */
export function describeMissing(input: unknown): string | undefined {
  if (input === undefined) return 'is required';
  return input === null ? 'is empty: give it a value or remove it' : undefined;
}

/** What sort of thing a value is, in words for people who write YAML. */
export function kindOf(input: unknown): string {
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'string') return 'text';
  if (typeof input === 'number') return 'a number';
  return typeof input === 'boolean' ? 'true or false' : 'keys with values';
}
