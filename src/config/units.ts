import { z } from 'zod';
import { describeWrong, show } from './wording.ts';

const millisecondsPer: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const bytesPer: Record<string, number> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

const durationPattern = /^(?:0|(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+)$/;
const sizePattern = /^(?:0|\d+(?:\.\d+)?(?:B|[kKMGT]B|[KMGT]iB))$/;

/** Beyond this Node's timers fire at once. */
const longestMs = 2 ** 31 - 1;

/** A length of time with its unit (`250ms`, `1m30s`, or 0); gives whole milliseconds. */
export const duration = z
  .union([z.string().regex(durationPattern, { error: describeDuration }), z.literal(0)], {
    error: describeDuration,
  })
  .transform((written) => sum(String(written), millisecondsPer))
  .refine((ms) => ms <= longestMs, { error: 'must be at most 24d' });

/** A length of time above 0. */
export const positiveDuration = duration.refine((ms) => ms > 0, {
  error: 'must be longer than 0',
});

/** `off`, 0 or a length of time; gives whole milliseconds, or null for off. */
export const durationOrOff = z
  .union([z.literal('off'), duration], { error: describeDuration })
  .transform((written) => (written === 'off' || written === 0 ? null : written));

/** A size with its unit (`64KiB`, `5MB`, or 0); gives whole bytes. */
export const size = z
  .union([z.string().regex(sizePattern, { error: describeSize }), z.literal(0)], {
    error: describeSize,
  })
  .transform((written) => sum(String(written), bytesPer));

function sum(text: string, factors: Readonly<Record<string, number>>): number {
  let total = 0;
  for (const [, number, unit] of text.matchAll(/([\d.]+)([a-zA-Z]+)/g)) {
    total += Number(number) * (factors[unit ?? ''] ?? Number.NaN);
  }
  return Math.round(total);
}

function describeDuration({ input }: { readonly input?: unknown }): string {
  return describeAmount(input, 'a length of time', '250ms, 3s or 1m30s', 's');
}

function describeSize({ input }: { readonly input?: unknown }): string {
  return describeAmount(input, 'a size', '64KiB, 256MiB or 1GiB', 'MiB');
}

function describeAmount(input: unknown, thing: string, examples: string, unit: string): string {
  const isBare = /^"\d+(?:\.\d+)?"$/.test(show(input) ?? '');
  if (!isBare) return describeWrong(input, `${thing}, such as ${examples}`);
  return `"${String(input)}": ${thing} needs a unit, such as ${String(input)}${unit}`;
}
