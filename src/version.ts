import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Jano's version, as package.json says. */
export function readVersion(): string {
  const text = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8');
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && 'version' in value) {
    return String(value.version);
  }
  throw new Error('package.json has no version');
}
