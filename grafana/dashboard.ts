import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  RowBuilder,
} from '@grafana/grafana-foundation-sdk/dashboard';
import type { PanelBuilder } from './panels.ts';
import { createHealth } from './rows/health.ts';
import { createNow } from './rows/now.ts';
import { createQueue } from './rows/queue.ts';
import { createSpeed } from './rows/speed.ts';
import { createSwaps } from './rows/swaps.ts';
import { createTraces } from './rows/traces.ts';
import { createVolume } from './rows/volume.ts';
import { createVariables } from './variables.ts';

const ROWS: readonly (readonly [title: string, panels: PanelBuilder[]])[] = [
  ['Now', createNow()],
  ['Swaps', createSwaps()],
  ['Queue', createQueue()],
  ['Speed', createSpeed()],
  ['Volume', createVolume()],
  ['Health', createHealth()],
  ['Traces', createTraces()],
];

/** The dashboard as Grafana keeps it in a file: the Classic model, without ids, which are each Grafana's own. */
function createDashboard(): Dashboard {
  const builder = new DashboardBuilder('Jano')
    .uid('jano')
    .description(
      'A router in front of local models: who waits and why, what swaps cost, how fast answers come.',
    )
    .tags(['jano', 'llm'])
    .time({ from: 'now-1h', to: 'now' })
    .refresh('10s')
    .tooltip(DashboardCursorSync.Crosshair)
    .variables(createVariables());
  for (const [title, panels] of ROWS) {
    builder.withRow(new RowBuilder(title));
    for (const panel of panels) builder.withPanel(panel);
  }
  const dashboard = builder.build();
  for (const panel of dashboard.panels ?? []) delete panel.id;
  return dashboard;
}

/** The text of its file. */
export function printDashboard(): string {
  return `${JSON.stringify(createDashboard(), null, 2)}\n`;
}
