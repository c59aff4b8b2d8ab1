import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** A query of a panel. */
export interface PanelQuery {
  readonly panel: string;
  readonly expression: string;
  readonly legend: string;
  readonly isInstant: boolean;
}

const target = z.object({
  refId: z.string(),
  expr: z.string(),
  legendFormat: z.string().optional(),
  instant: z.boolean(),
  range: z.boolean(),
});

const panel = z.object({
  id: z.undefined().optional(),
  type: z.string(),
  title: z.string(),
  description: z.string().optional(),
  datasource: z.object({ type: z.string(), uid: z.string() }).optional(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.array(target).optional(),
  options: z
    .object({
      legend: z.object({ showLegend: z.boolean().optional() }).optional(),
      textMode: z.string().optional(),
      cellValues: z.object({ unit: z.string().optional() }).optional(),
    })
    .optional(),
  fieldConfig: z
    .object({
      defaults: z.object({
        unit: z.string().optional(),
        displayName: z.string().optional(),
        color: z.object({ mode: z.string() }).optional(),
        mappings: z.array(z.unknown()).optional(),
        noValue: z.string().optional(),
        thresholds: z
          .object({ steps: z.array(z.object({ value: z.number().nullable(), color: z.string() })) })
          .optional(),
      }),
    })
    .optional(),
});

const dashboard = z.object({
  id: z.undefined().optional(),
  uid: z.string(),
  schemaVersion: z.number(),
  templating: z.object({
    list: z.array(
      z.object({
        name: z.string(),
        type: z.string(),
        label: z.string(),
        multi: z.boolean(),
        includeAll: z.boolean(),
        allValue: z.string().optional(),
        query: z.union([z.string(), z.object({ query: z.string() })]),
      }),
    ),
  }),
  panels: z.array(panel),
});

export type DashboardPanel = z.infer<typeof panel>;

/** Where the dashboard lies that Grafana is given. */
export const DASHBOARD_FILE = join(import.meta.dirname, '../../grafana/dashboards/jano.json');

export async function readDashboard(): Promise<z.infer<typeof dashboard>> {
  return dashboard.parse(JSON.parse(await readFile(DASHBOARD_FILE, 'utf8')));
}

/** All that its panels ask. */
export function queriesOf(panels: readonly DashboardPanel[]): PanelQuery[] {
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat = '', instant }) => ({
      panel: title,
      expression: expr,
      legend: legendFormat,
      isInstant: instant,
    })),
  );
}
