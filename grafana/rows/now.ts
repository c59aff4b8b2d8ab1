import * as common from '@grafana/grafana-foundation-sdk/common';
import { METRICS } from '../../src/telemetry/metrics.ts';
import { colorOf, createStat, type PanelBuilder } from '../panels.ts';
import { gauge, growth, orNamed, orZero, perSecond, ratio, sum } from '../queries.ts';

/** How it stands at this moment, in a line of numbers. */
export function createNow(): PanelBuilder[] {
  const up = gauge(METRICS.backendUp);
  return [
    createStat(
      {
        title: 'In memory',
        description:
          'The model that can answer at once. Requests for any other wait for a swap. Several where memory has room for them; none while a swap runs.',
        unit: 'none',
        width: 5,
      },
      // A panel of names shows nothing at all where there is no series.
      [[orNamed(`${gauge(METRICS.modelLoaded)} == 1`, 'model', '–'), '{{model}}']],
    ).textMode(common.BigValueTextMode.Name),
    createStat(
      {
        title: 'Waiting',
        description: 'Requests in the queue: for a swap, or for a free slot of a busy model.',
        unit: 'short',
        decimals: 0,
        width: 2,
      },
      [[sum(gauge(METRICS.queueDepth)), 'waiting']],
    ),
    createStat(
      {
        title: 'Oldest wait',
        description:
          'How long the request has waited that waits longest. With the defaults a turn lasts 5 minutes at most, so more than 10 means that something is wrong or badly slow.',
        unit: 's',
        decimals: 0,
        width: 3,
        thresholds: [
          [null, 'green'],
          [120, 'yellow'],
          [600, 'red'],
        ],
      },
      [[gauge(METRICS.oldestWait), 'oldest']],
    ),
    createStat(
      {
        title: 'In flight',
        description: 'Requests that backends are answering.',
        unit: 'short',
        decimals: 0,
        width: 2,
      },
      [[sum(gauge(METRICS.inFlight)), 'in flight']],
    ),
    createStat(
      {
        title: 'Swaps, last hour',
        description: 'Changes of model that succeeded, in the last 60 minutes.',
        unit: 'short',
        decimals: 0,
        width: 3,
      },
      [[sum(growth(METRICS.swaps, '1h', { outcome: 'ok' })), 'swaps']],
    ),
    createStat(
      {
        title: 'Generated',
        description:
          'Tokens per second over all callers and chosen models, mean of the last 2 minutes.',
        unit: 'suffix: tok/s',
        decimals: 1,
        width: 3,
      },
      [[sum(perSecond(METRICS.tokens, { type: 'output' }, '2m')), 'generated']],
    ),
    createStat(
      {
        title: 'Backends',
        description:
          'Up: answered when last asked. Down: failed when it should have served. Models that are not in memory are in neither.',
        unit: 'short',
        decimals: 0,
        width: 3,
        thresholds: [
          [null, 'text'],
          [1, 'red'],
        ],
      },
      [
        [orZero(`count(${up} == 1)`), 'up'],
        [orZero(`count(${up} == 0)`), 'down'],
      ],
    ).overrideByName(...colorOf('up', 'green')),
    createStat(
      {
        title: 'Errors, last 15 min',
        description:
          'Share of requests that failed at the backend or whose answer broke off. Refused ones (4xx) are the caller’s, and rejected ones never got to a backend.',
        unit: 'percentunit',
        decimals: 1,
        width: 3,
        thresholds: [
          [null, 'green'],
          [0.01, 'yellow'],
          [0.05, 'red'],
        ],
      },
      [
        [
          ratio(
            sum(perSecond(METRICS.requests, { outcome: ['failed', 'cut'] }, '15m')),
            sum(perSecond(METRICS.requests, {}, '15m')),
          ),
          'errors',
        ],
      ],
    ),
  ];
}
