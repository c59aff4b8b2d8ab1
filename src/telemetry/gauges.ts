import type { ModelReading } from '../core/snapshot.ts';
import type { EventLoopLag } from './eventLoopLag.ts';
import type { Reading } from './reading.ts';

/** What is the case at the moment of a scrape. */
export function createGauges(lag: EventLoopLag): readonly Reading[] {
  return [
    byModel('jano.queue.depth', '{request}', 'Requests that wait', ({ waiting }) => waiting),
    byModel(
      'jano.requests.in_flight',
      '{request}',
      'Requests that a backend is answering',
      ({ inFlight }) => inFlight,
    ),
    {
      name: 'jano.queue.oldest.age',
      unit: 's',
      description: 'How long the oldest of the waiting requests has waited; 0 when none does',
      tell({ takenAt, oldestQueuedAt }, value) {
        value(oldestQueuedAt === null ? 0 : Math.max(0, takenAt - oldestQueuedAt) / 1000);
      },
    },
    byModel('jano.model.loaded', '', '1 while the model is in memory', ({ presence }) =>
      Number(presence === 'resident'),
    ),
    byModel(
      'jano.backend.up',
      '',
      'Whether the backend was healthy when last asked; NaN while that is unknown',
      ({ health }) => (health === 'unknown' ? NaN : Number(health === 'up')),
    ),
    byModel(
      'jano.generation.rate',
      '{token}/s',
      'Mean generation speed of the newest 30 answers that reported one, else NaN',
      ({ totals }) => totals.outputRates.mean ?? NaN,
    ),
    byModel(
      'jano.prompt.rate',
      '{token}/s',
      'Mean prompt processing speed of the newest 30 answers that reported one, else NaN',
      ({ totals }) => totals.inputRates.mean ?? NaN,
    ),
    {
      name: 'jano.uptime',
      unit: 's',
      description: 'Since Jano started',
      tell: ({ takenAt, startedAt }, value) => value(Math.max(0, takenAt - startedAt) / 1000),
    },
    {
      name: 'nodejs.eventloop.lag',
      unit: 's',
      description: 'How late the event loop came to its timers, 99th percentile since last asked',
      tell: (_now, value) => value(lag.takeSeconds()),
    },
    {
      name: 'process.resident_memory',
      unit: 'By',
      description: 'Memory of this process, without the backends',
      tell: (_now, value) => value(process.memoryUsage.rss()),
    },
  ];
}

function byModel(
  name: string,
  unit: string,
  description: string,
  of: (model: ModelReading) => number,
): Reading {
  return {
    name,
    unit,
    description,
    tell({ models }, value) {
      for (const reading of models) value(of(reading), { model: reading.model });
    },
  };
}
