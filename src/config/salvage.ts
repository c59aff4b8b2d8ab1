import type { z } from 'zod';
import type { Draft } from './checks.ts';
import { isPlainObject } from './plainObject.ts';
import { configSchema, modelSchema } from './schema.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** What is right in a config that is wrong as a whole, so that it can be checked as well. */
export function salvage(raw: unknown): Draft {
  const config = isPlainObject(raw) ? raw : {};
  const models = Array.isArray(config['models']) ? config['models'] : [];
  const { auth, memory, policy, swap, default: defaultName, preload } = configSchema.shape;
  return {
    models: models.map((model: unknown) => pickSound(modelSchema.shape, model)),
    auth: pickSound(auth.unwrap().shape, config['auth']),
    memory: pickSound(memory.unwrap().shape, config['memory']),
    policy: pickSound(policy.unwrap().shape, config['policy']),
    swap: pickSound(swap.unwrap().shape, config['swap']),
    ...pickSound({ default: defaultName, preload }, config),
  };
}

/** Those values of a section that their own schema accepts, or completes. */
function pickSound<Values extends Shape>(
  shape: Values,
  raw: unknown = {},
): { [Key in keyof Values]?: z.output<Values[Key]> } {
  if (!isPlainObject(raw)) return {};
  const sound = Object.entries(shape).flatMap(([key, schema]) => {
    const parsed = schema.safeParse(raw[key]);
    return parsed.success ? [[key, parsed.data]] : [];
  });
  return Object.fromEntries(sound);
}
