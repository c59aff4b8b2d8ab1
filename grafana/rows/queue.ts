import { METRICS } from '../../src/telemetry/metrics.ts';
import {
  colorOf,
  createAreas,
  createHeatmap,
  createLines,
  createTable,
  type PanelBuilder,
  TABLE_ROWS,
} from '../panels.ts';
import {
  bucketGrowth,
  gauge,
  numbersOf,
  perSecond,
  quantile,
  SHOWN_RANGE,
  sum,
} from '../queries.ts';

const BY_MODEL = { by: ['model'], window: SHOWN_RANGE };

/** Who waits, and how long. */
export function createQueue(): PanelBuilder[] {
  return [
    createAreas(
      {
        title: 'Waiting, by model',
        description:
          'Requests in the queue. A hill of one colour waits for a swap to that model; a flat band that never ends means more work than the machine can do.',
        unit: 'short',
        decimals: 0,
        width: 12,
      },
      [[gauge(METRICS.queueDepth), '{{model}}']],
    ),
    createHeatmap(
      {
        title: 'How long requests waited',
        description:
          'Each cell: how many requests waited so long before they were sent to their backend, at that time.',
        unit: 's',
        width: 12,
      },
      bucketGrowth(METRICS.queueWait),
    ),
    createLines(
      {
        title: 'Wait',
        description:
          'Of all chosen models: half of the requests waited less than p50, 95 of 100 less than p95, 99 of 100 less than p99.',
        unit: 's',
        width: 8,
        height: TABLE_ROWS,
      },
      [0.99, 0.95, 0.5].map((share) => [quantile(share, METRICS.queueWait), percentile(share)]),
    ),
    createTable(
      {
        title: 'Wait by model',
        description:
          'Over the time shown. The time in which the model itself was loaded counts. A model that nobody asked is not in it.',
        unit: 's',
        width: 8,
        height: TABLE_ROWS,
      },
      [0.5, 0.95, 0.99].map((share) => [
        numbersOf(quantile(share, METRICS.queueWait, BY_MODEL)),
        percentile(share),
      ]),
    ),
    createLines(
      {
        title: 'Oldest wait over time',
        description:
          'How long the request has waited that waits longest. A line that climbs without end: its model never gets its turn, or nothing moves at all.',
        unit: 's',
        width: 4,
        height: TABLE_ROWS,
        thresholds: [
          [null, 'green'],
          [600, 'red'],
        ],
      },
      [[gauge(METRICS.oldestWait), 'oldest']],
    ),
    createLines(
      {
        title: 'Rejected, abandoned',
        description:
          'Per minute. Rejected: never sent to a backend (unknown model, queue full, swap failed). Abandoned: the caller left before its answer was complete.',
        unit: 'suffix:/min',
        width: 4,
        height: TABLE_ROWS,
      },
      [
        [
          `${sum(perSecond(METRICS.requests, { outcome: ['rejected', 'abandoned'] }), 'outcome')} * 60`,
          '{{outcome}}',
        ],
      ],
    )
      .overrideByName(...colorOf('rejected', 'red'))
      .overrideByName(...colorOf('abandoned', 'orange')),
  ];
}

function percentile(share: number): string {
  return `p${Math.round(share * 100)}`;
}
