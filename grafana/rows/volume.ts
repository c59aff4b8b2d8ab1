import { METRICS } from '../../src/telemetry/metrics.ts';
import {
  colorOf,
  createAreas,
  createBars,
  createLines,
  createTable,
  type PanelBuilder,
  TABLE_ROWS,
} from '../panels.ts';
import { growth, histogramRate, perSecond, ratio, SHOWN_RANGE, sum } from '../queries.ts';

const COLORS = {
  served: 'green',
  refused: 'yellow',
  failed: 'red',
  cut: 'dark-red',
  rejected: 'orange',
  abandoned: 'purple',
};
const OUTCOMES = Object.keys(COLORS);
const TYPES = ['input', 'cached', 'output'];

/** Who uses it, and how much. */
export function createVolume(): PanelBuilder[] {
  const byOutcome = createAreas(
    {
      title: 'Requests, by outcome',
      description:
        'Per minute, when they ended. Served: answered. Refused: the backend said 4xx. Failed: it said 5xx, or nothing. Cut: its answer broke off. Rejected: never sent. Abandoned: the caller left.',
      unit: 'suffix:/min',
      width: 8,
      height: TABLE_ROWS,
    },
    [[`${sum(perSecond(METRICS.requests), 'outcome')} * 60`, '{{outcome}}']],
  );
  for (const [outcome, color] of Object.entries(COLORS)) {
    byOutcome.overrideByName(...colorOf(outcome, color));
  }
  return [
    byOutcome,
    createTable(
      {
        title: 'Requests, by model and outcome',
        description:
          'Over the time shown. _other is what was asked of models that are not configured.',
        unit: 'short',
        decimals: 0,
        width: 8,
        height: TABLE_ROWS,
      },
      OUTCOMES.map((outcome) => [
        `round(${sum(growth(METRICS.requests, SHOWN_RANGE, { outcome }), 'model')})`,
        outcome,
      ]),
    ),
    createTable(
      {
        title: 'Tokens, by model and type',
        description:
          'Over the time shown, as the backends reported them. Cached is the part of input that the backend still had from an earlier request.',
        unit: 'short',
        width: 8,
        height: TABLE_ROWS,
      },
      TYPES.map((type) => [
        `round(${sum(growth(METRICS.tokens, SHOWN_RANGE, { type }), 'model')})`,
        type,
      ]),
    ),
    createBars(
      {
        title: 'Tokens, by caller',
        description:
          'Over the time shown, input and output. A caller is the header X-Caller, else the name of the API key, a session or the program. The first 20 have a name here; /usage/callers has them all.',
        unit: 'short',
        width: 8,
      },
      [
        `topk(12, round(${sum(growth(METRICS.callerTokens, SHOWN_RANGE, { type: ['input', 'output'] }), 'caller')}) > 0)`,
        '{{caller}}',
      ],
    ),
    createLines(
      {
        title: 'Unmetered share',
        description:
          'Of the generating and embedding requests, how many ended without a count of tokens, by the reason. They are missing in all sums of tokens.',
        unit: 'percentunit',
        decimals: 1,
        width: 8,
        thresholds: [
          [null, 'green'],
          [0.1, 'orange'],
        ],
      },
      [
        [
          `${sum(perSecond(METRICS.unmetered), 'reason')} / on () group_left () (${sum(histogramRate(METRICS.requestDuration, 'count'))} > 0)`,
          '{{reason}}',
        ],
      ],
    ),
    createLines(
      {
        title: 'Cache share',
        description:
          'Of the tokens of the prompts, what the backends did not have to read again. Agents that send their whole history each time should see a high one.',
        unit: 'percentunit',
        decimals: 0,
        width: 8,
      },
      [
        [
          ratio(
            sum(perSecond(METRICS.tokens, { type: 'cached' }), 'model'),
            sum(perSecond(METRICS.tokens, { type: 'input' }), 'model'),
          ),
          '{{model}}',
        ],
      ],
    ),
  ];
}
