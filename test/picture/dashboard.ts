import { z } from 'zod';

const threshold = z.object({ value: z.number().nullable(), color: z.string() });
const shown = z.object({ text: z.string().optional(), color: z.string().optional() });

/** How the values of a series are to be shown. */
const field = z.object({
  unit: z.string().default('none'),
  decimals: z.number().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  noValue: z.string().default('No data'),
  displayName: z.string().optional(),
  color: z.object({ mode: z.string(), fixedColor: z.string().optional() }).optional(),
  thresholds: z.object({ steps: z.array(threshold) }).default({ steps: [] }),
  mappings: z
    .array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('value'), options: z.record(z.string(), shown) }),
        z.object({
          type: z.literal('special'),
          options: z.object({ match: z.string(), result: shown }),
        }),
      ]),
    )
    .default([]),
  custom: z
    .object({
      lineWidth: z.number().default(1),
      fillOpacity: z.number().default(0),
      stacking: z.object({ mode: z.string() }).default({ mode: 'none' }),
      thresholdsStyle: z.object({ mode: z.string() }).default({ mode: 'off' }),
    })
    .prefault({}),
});

const target = z.object({
  expr: z.string(),
  refId: z.string(),
  legendFormat: z.string().default('__auto'),
  instant: z.boolean().default(false),
});

const panel = z.object({
  type: z.string(),
  title: z.string().default(''),
  description: z.string().optional(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  collapsed: z.boolean().default(false),
  /** Its points lie so far apart at least, in minutes or seconds. */
  interval: z
    .string()
    .regex(/^\d+[ms]$/)
    .optional(),
  targets: z.array(target).default([]),
  options: z
    .object({
      legend: z
        .object({ showLegend: z.boolean().default(true), calcs: z.array(z.string()).default([]) })
        .prefault({}),
      textMode: z.string().default('auto'),
      colorMode: z.string().default('value'),
      content: z.string().default(''),
      rowHeight: z.number().default(0.9),
    })
    .prefault({}),
  fieldConfig: z
    .object({
      defaults: z.record(z.string(), z.unknown()).default({}),
      overrides: z
        .array(
          z.object({
            matcher: z.object({ id: z.string(), options: z.unknown() }),
            properties: z.array(z.object({ id: z.string(), value: z.unknown() })),
          }),
        )
        .default([]),
    })
    .prefault({}),
  transformations: z
    .array(z.object({ id: z.string(), options: z.record(z.string(), z.unknown()) }))
    .default([]),
});

const dashboard = z.object({ title: z.string(), panels: z.array(panel) });

export type Dashboard = z.infer<typeof dashboard>;
export type Panel = z.infer<typeof panel>;
export type Field = z.infer<typeof field>;

/** A dashboard of Grafana's Classic model, as far as a picture of it needs; throws at what it can't be. */
export function readDashboard(text: string): Dashboard {
  return dashboard.parse(JSON.parse(text));
}

/** What holds for the series of that name: the defaults of its panel, with what is set over them. */
export function fieldOf({ fieldConfig }: Panel, name: string): Field {
  let raw: unknown = fieldConfig.defaults;
  for (const { matcher, properties } of fieldConfig.overrides) {
    if (!isMatch(matcher, name)) continue;
    for (const { id, value } of properties) raw = withValue(raw, id.split('.'), value);
  }
  return field.parse(raw);
}

function isMatch({ id, options }: { id: string; options?: unknown }, name: string): boolean {
  if (id === 'byName') return options === name;
  if (id !== 'byRegexp') return false;
  // In Grafana's spelling: with slashes around it.
  return new RegExp(String(options).replace(/^\/(.*)\/$/, '$1')).test(name);
}

function withValue(raw: unknown, [key = '', ...rest]: readonly string[], value: unknown): object {
  const object = z.record(z.string(), z.unknown()).catch({}).parse(raw);
  return { ...object, [key]: rest.length === 0 ? value : withValue(object[key], rest, value) };
}
