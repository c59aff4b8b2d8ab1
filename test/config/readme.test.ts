import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { parse } from 'yaml';
import { configSchema } from '../../src/config/schema.ts';

const README = new URL('../../README.md', import.meta.url);

/** What there is and does nothing yet. */
const NOT_SHOWN = [
  'allowedHosts',
  'queue.keepAlive',
  'usage.path',
  'usage.retention',
  'traces.url',
  'watch',
];

test('the README shows every setting that does something, with its default', async () => {
  const text = await readFile(README, 'utf8');
  const [, yaml = ''] = /### All settings\n+```yaml\n([^]*?)\n```/.exec(text) ?? [];
  const { models, ...shown } = Object(parse(yaml));

  const [model] = models;
  const { models: usualModels, ...usual } = defaultsFor(model);
  const { models: readModels, ...read } = configSchema.parse({ models, ...shown });

  const { name, url, aliases, label } = model;
  assert.deepEqual(readModels, [{ ...usualModels[0], name, url, aliases, label }]);
  assert.deepEqual({ ...read, swap: { ...read.swap, command: null } }, usual);
  assert.deepEqual(missingIn(model, usualModels[0] ?? {}), []);
  const missing = Object.entries(usual).flatMap(([key, value]) =>
    isSection(value) && key !== 'listen'
      ? missingIn(shown[key] ?? {}, value).map((inner) => `${key}.${inner}`)
      : missingIn(shown, { [key]: value }),
  );
  assert.deepEqual(missing, NOT_SHOWN);
});

function defaultsFor({ name, url }: { name: string; url: string }) {
  return configSchema.parse({ models: [{ name, url }] });
}

function missingIn(shown: object, all: object): string[] {
  return Object.keys(all).filter((key) => !(key in shown));
}

function isSection(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
