import { METRICS } from '../../src/telemetry/metrics.ts';
import { colorOf, createAreas, createLines, type PanelBuilder } from '../panels.ts';
import { gauge, histogramRate, mean, perSecond, quantile, ratio, sum } from '../queries.ts';

const MODEL = 'gen_ai_request_model';

/** How fast answers come. */
export function createSpeed(): PanelBuilder[] {
  const requests = sum(histogramRate(METRICS.requestDuration, 'count'));
  const wait = mean(METRICS.queueWait);
  const swapWait = mean(METRICS.swapWait);
  const firstToken = ratio(sum(histogramRate(METRICS.firstToken, 'sum')), requests);
  return [
    createLines(
      {
        title: 'Generation speed, by model',
        description:
          'Tokens per second within one answer, as the backends measured it: the mean of their newest 30 answers. A gap: none has reported one.',
        unit: 'suffix: tok/s',
        width: 8,
      },
      [[gauge(METRICS.generationRate), '{{model}}']],
    ),
    createLines(
      {
        title: 'Prompt speed, by model',
        description:
          'Tokens of the prompt per second, as the backends measured it, without what they had in their cache.',
        unit: 'suffix: tok/s',
        width: 8,
      },
      [[gauge(METRICS.promptRate), '{{model}}']],
    ),
    createAreas(
      {
        title: 'Generated, all callers',
        description:
          'Tokens per second over all requests together: what the machine makes, swaps and pauses included.',
        unit: 'suffix: tok/s',
        width: 8,
      },
      [[sum(perSecond(METRICS.tokens, { type: 'output' }), 'model'), '{{model}}']],
    ),
    createLines(
      {
        title: 'Time to first token',
        description:
          'From sending a request to its backend to the first generated text: mostly the reading of the prompt. The wait in the queue is not in it. Half of each model’s answers were faster, and 95 of 100 of all.',
        unit: 's',
        width: 8,
      },
      [
        [quantile(0.5, METRICS.firstToken, { by: [MODEL] }), `{{${MODEL}}}`],
        [quantile(0.95, METRICS.firstToken), 'all p95'],
      ],
    ),
    createLines(
      {
        title: 'Time per output token',
        description:
          'The mean of the answers. 50 ms is 20 tokens per second. Not read from buckets: most models lie within two of them.',
        unit: 's',
        width: 8,
      },
      [[mean(METRICS.perToken, { by: [MODEL] }), `{{${MODEL}}}`]],
    ),
    createAreas(
      {
        title: 'Where a request’s time goes',
        description:
          'The mean request, piece by piece: behind others in the queue, waiting while its own model was loaded, until the first token, and generating the rest. Answers that are not streamed have no first token; theirs is all generation.',
        unit: 's',
        width: 8,
      },
      [
        [`clamp_min(${wait} - ${swapWait}, 0)`, 'queue'],
        [swapWait, 'swap'],
        [firstToken, 'first token'],
        [
          `clamp_min(${mean(METRICS.requestDuration)} - ${wait} - (${firstToken} or vector(0)), 0)`,
          'generation',
        ],
      ],
    )
      .overrideByName(...colorOf('queue', 'yellow'))
      .overrideByName(...colorOf('swap', 'orange'))
      .overrideByName(...colorOf('first token', 'blue'))
      .overrideByName(...colorOf('generation', 'green')),
  ];
}
