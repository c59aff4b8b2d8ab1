/**
 * Draws a dashboard of Grafana's with real data, so that it can be looked at without a Grafana:
 *   node test/picture/draw.ts
 *     [--dashboard grafana/dashboards/jano.json]
 *     [--out dashboard.png]
 *     [--minutes 10]       the time that it shows
 *     [--width 1600]       of the picture
 *     [--scrape 5]         seconds between two scrapes; the Prometheus of docker-compose.yml has 10
 *     [--models 8]         or 1: of a Jano that is started for it, under traffic of its own, for these minutes and one more
 *     [--prometheus URL]   the data of a Jano that runs already instead
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { EIGHT_MODELS, ONE_MODEL, startBusyJano } from '../rig/busyJano.ts';
import { type Prometheus, reachPrometheus } from '../rig/prometheus.ts';
import { tellReason } from '../rig/tool.ts';
import { findChromium, takePicture } from './chromium.ts';
import { readDashboard } from './dashboard.ts';
import { drawPage } from './page.ts';
import { sourceOf } from './source.ts';

const DASHBOARD = join(import.meta.dirname, '../../grafana/dashboards/jano.json');

const { values } = parseArgs({
  options: {
    dashboard: { type: 'string', default: DASHBOARD },
    out: { type: 'string', default: 'dashboard.png' },
    minutes: { type: 'string', default: '10' },
    width: { type: 'string', default: '1600' },
    scrape: { type: 'string', default: '5' },
    models: { type: 'string', default: '8' },
    prometheus: { type: 'string' },
  },
});
/** Until rates have something to look back to. */
const WARM_UP_MS = 60_000;

const endings: (() => unknown)[] = [];
let ended: Promise<void> | null = null;

// npm passes on what the terminal has sent to both.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => void end().then(() => process.exit(1)));
}
try {
  process.exitCode = await draw();
} finally {
  await end();
}

async function draw(): Promise<number> {
  const minutes = Number(values.minutes);
  const width = Number(values.width);
  const scrapeS = Number(values.scrape);
  const chromium = await findChromium();
  if (chromium.kind === 'missing') return giveUp(chromium.reason);
  const dashboard = readDashboard(await readFile(values.dashboard, 'utf8'));
  const prometheus =
    values.prometheus === undefined
      ? await fill(minutes, scrapeS)
      : reachPrometheus(values.prometheus);
  if (prometheus === null) return 1;
  const source = await sourceOf(prometheus, minutes, scrapeS).catch((error: unknown) => {
    giveUp(
      `${values.prometheus ?? 'its Prometheus'} does not answer as one that scrapes a Jano: ${tellReason(error)}`,
    );
    return null;
  });
  if (source === null) return 1;
  const page = await drawPage(dashboard, source, width);
  await takePicture(chromium.path, page, width, resolve(values.out));
  process.stdout.write(`${values.out}: ${width} × ${page.height}\n`);
  return 0;
}

/** What a busy Jano was like for so long; null where that can't be had. */
async function fill(minutes: number, scrapeS: number): Promise<Prometheus | null> {
  const busy = await startBusyJano(
    {
      after: (ending) => void endings.push(ending),
      skip: (reason) => void giveUp(reason),
    },
    {
      models: values.models === '1' ? ONE_MODEL : EIGHT_MODELS,
      speed: 1,
      scrapeInterval: `${scrapeS}s`,
    },
  );
  process.stdout.write(`Jano is busy for ${minutes} minutes\n`);
  if (busy !== null) await delay(WARM_UP_MS + minutes * 60_000);
  return busy?.prometheus ?? null;
}

/** Once, however often it is asked for. */
function end(): Promise<void> {
  return (ended ??= runEndings());
}

async function runEndings(): Promise<void> {
  for (const ending of endings.splice(0)) await ending();
}

function giveUp(reason: string): number {
  process.stderr.write(`no picture: ${reason}\n`);
  return 1;
}
