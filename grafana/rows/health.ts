import { MappingType, SpecialValueMatch } from '@grafana/grafana-foundation-sdk/dashboard';
import { METRICS } from '../../src/telemetry/metrics.ts';
import { createLines, createTimeline, FAINT, type PanelBuilder } from '../panels.ts';
import { gauge, mean, perSecond, quantile, sum } from '../queries.ts';

/** Whether all parts do what they should. */
export function createHealth(): PanelBuilder[] {
  return [
    createTimeline(
      {
        title: 'Health of the backends',
        description:
          'Green: answered when last asked. Red: failed when it should have served, and not asked since: it stays until the next request for that model. Grey: not known, as of a model that is not in memory.',
        unit: 'none',
        width: 16,
      },
      [[gauge(METRICS.backendUp), '{{model}}']],
      [
        {
          type: MappingType.ValueToText,
          options: {
            '0': { text: 'down', color: 'red', index: 0 },
            '1': { text: 'up', color: 'green', index: 1 },
          },
        },
        {
          type: MappingType.SpecialValue,
          options: {
            match: SpecialValueMatch.NullAndNan,
            result: { text: 'unknown', color: FAINT, index: 2 },
          },
        },
      ],
    ),
    createLines(
      {
        title: 'Errors, by model',
        description:
          'Per minute: requests that failed at the backend, and answers that broke off. The log and /usage have each with its text.',
        unit: 'suffix:/min',
        width: 8,
      },
      [
        [
          `${sum(perSecond(METRICS.requests, { outcome: ['failed', 'cut'] }), 'model', 'outcome')} * 60 > 0`,
          '{{model}} {{outcome}}',
        ],
      ],
    ).noValue('none'),
    createLines(
      {
        title: 'What Jano itself adds',
        description:
          'Time of a request that neither queue nor backend took. Milliseconds are usual; more means that this process is short of CPU.',
        unit: 's',
        width: 8,
      },
      [
        [mean(METRICS.overhead), 'mean'],
        [quantile(0.99, METRICS.overhead), 'p99'],
      ],
    ),
    createLines(
      {
        title: 'Event loop lag',
        description:
          'How late Jano came to its own timers, 99th percentile between two scrapes. Beyond 100 ms streams begin to stutter.',
        unit: 's',
        width: 8,
        thresholds: [
          [null, 'green'],
          [0.1, 'orange'],
        ],
      },
      [[gauge(METRICS.eventLoopLag), 'p99']],
    ),
    createLines(
      {
        title: 'Memory of Jano',
        description: 'Of this process, without the backends. A drop to a small value is a restart.',
        unit: 'bytes',
        width: 8,
      },
      [[gauge(METRICS.residentMemory), 'resident']],
    ),
  ];
}
