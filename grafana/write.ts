// Writes dashboards/jano.json, which Grafana reads: `npm run dashboard`.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { printDashboard } from './dashboard.ts';

await writeFile(join(import.meta.dirname, 'dashboards/jano.json'), printDashboard());
