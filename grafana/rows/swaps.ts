import { MappingType } from '@grafana/grafana-foundation-sdk/dashboard';
import { METRICS } from '../../src/telemetry/metrics.ts';
import {
  createBars,
  createHeatmap,
  createLines,
  createStat,
  createTimeline,
  FAINT,
  type PanelBuilder,
} from '../panels.ts';
import {
  ANY,
  bucketGrowth,
  gauge,
  growth,
  histogramRate,
  mean,
  ofSwapped,
  perSecond,
  quantile,
  ratio,
  secondsRun,
  SHOWN_RANGE,
  sum,
} from '../queries.ts';

const DONE = { outcome: 'ok' };
const FAILED = { outcome: { not: 'ok' } };

/** What changing models costs, and what comes of it. */
export function createSwaps(): PanelBuilder[] {
  return [
    createTimeline(
      {
        title: 'Which model was in memory',
        description:
          'A strip for each model, blue while it was in memory. Short pieces taking turns are thrashing; a gap in all of them is a swap under way, if it is longer than two scrapes.',
        unit: 'none',
        width: 16,
      },
      [[gauge(METRICS.modelLoaded), '{{model}}']],
      [
        {
          type: MappingType.ValueToText,
          options: {
            '0': { text: 'not loaded', color: FAINT, index: 0 },
            '1': { text: 'in memory', color: 'blue', index: 1 },
          },
        },
      ],
    ),
    createLines(
      {
        title: 'Share of time spent swapping',
        description:
          'Of the last 15 minutes, what went into swaps, failed ones too. Nothing is generated meanwhile. policy.swapShare (20 %) bounds it while the machine is busy.',
        unit: 'percentunit',
        width: 8,
        thresholds: [
          [null, 'green'],
          [0.2, 'orange'],
        ],
      },
      [
        // Not by the window itself: a Jano that has just started has not been there for all of it.
        [
          ratio(
            `${sum(histogramRate(METRICS.swapDuration, 'sum', '15m'))} * 900`,
            secondsRun('15m'),
          ),
          'swapping',
        ],
      ],
    ),
    createBars(
      {
        title: 'Swaps per hour, from → to',
        description:
          'Which pairs of models take turns, over the time shown. A pair on top that two programs of yours cause is a reason to let them use one model.',
        unit: 'short',
        decimals: 1,
        width: 8,
      },
      [
        `topk(10, ${sum(perSecond(METRICS.swaps, DONE, SHOWN_RANGE), 'from', 'to')} * 3600 > 0)`,
        '{{from}} → {{to}}',
      ],
    ),
    createHeatmap(
      {
        title: 'How long swaps took',
        description: 'Each cell: how many swaps took so long, at that time.',
        unit: 's',
        width: 8,
      },
      bucketGrowth(METRICS.swapDuration, DONE),
    ),
    createLines(
      {
        title: 'Swap time by model',
        description:
          'The mean of the swaps of the last hour, and what half and 95 of 100 of them all stayed below; these are read from buckets, so they are rough.',
        unit: 's',
        width: 8,
      },
      [
        [mean(METRICS.swapDuration, { by: ['model'], window: '1h', where: DONE }), '{{model}}'],
        [quantile(0.5, METRICS.swapDuration, { window: '1h', where: DONE }), 'all p50'],
        [quantile(0.95, METRICS.swapDuration, { window: '1h', where: DONE }), 'all p95'],
      ],
    ),
    createLines(
      {
        title: 'Requests served per swap',
        description:
          'Of the last hour. Near 1, each request costs a swap; the higher, the better the bursts were put together. Pinned models do not count.',
        unit: 'short',
        decimals: 1,
        width: 8,
      },
      [
        [
          ratio(sum(ofSwapped(growth(METRICS.requests, '1h', { outcome: 'served' }))), swaps('1h')),
          'requests per swap',
        ],
      ],
    ),
    createStat(
      {
        title: 'Swaps saved',
        description:
          'Over the time shown: the swaps that serving in order of arrival would have cost, less those that happened. All models, whatever is chosen above.',
        unit: 'short',
        decimals: 0,
        width: 4,
        height: 8,
      },
      [[`${allByArrival(SHOWN_RANGE)} - ${allSwaps(SHOWN_RANGE)}`, 'saved']],
    ),
    createLines(
      {
        title: 'Swaps, and swaps in order of arrival',
        description:
          'Per hour, over the last hour. The space between the lines is what ordering the queue has saved. All models, whatever is chosen above.',
        unit: 'short',
        decimals: 0,
        width: 6,
      },
      [
        [allSwaps('1h'), 'happened'],
        [allByArrival('1h'), 'in order of arrival'],
      ],
    ),
    createLines(
      {
        title: 'Failed swaps',
        description:
          'Runs of the swap script that failed or ran out of time, in the last hour. /swaps has the last words of the script.',
        unit: 'short',
        decimals: 0,
        width: 6,
        thresholds: [
          [null, 'green'],
          [1, 'red'],
        ],
      },
      [[`${sum(growth(METRICS.swaps, '1h', FAILED), 'to', 'outcome')} > 0`, '{{to}} {{outcome}}']],
    ).noValue('none'),
  ];
}

function swaps(window: string): string {
  return sum(growth(METRICS.swaps, window, DONE));
}

/** Of all models: arrival order knows of none, so what it is compared with must not, either. */
function allSwaps(window: string): string {
  return sum(growth(METRICS.swaps, window, { ...DONE, to: ANY }));
}

function allByArrival(window: string): string {
  return sum(growth(METRICS.swapsArrivalOrder, window));
}
