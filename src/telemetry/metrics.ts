/** A metric under its OpenTelemetry name; what Prometheus calls it, `prometheusName` tells. */
export interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  /** As in UCUM: `s`, `By`, `{token}`; empty for what is 0 or 1. */
  readonly unit: string;
  readonly description: string;
  /** The names of its labels; those of a histogram are OpenTelemetry's attributes. */
  readonly labels: readonly string[];
}

/** What a unit adds to a name, as collectors and Prometheus itself do it; the exporter does not. */
const SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['s', '_seconds'],
  ['By', '_bytes'],
  ['{token}/s', '_tokens_per_second'],
]);

/** Everything that /metrics has: the instruments are made of it, and the dashboard asks for it. */
export const METRICS = {
  requests: {
    kind: 'counter',
    name: 'jano.requests',
    unit: '{request}',
    description: 'Requests that are over, by their outcome',
    labels: ['model', 'outcome'],
  },
  tokens: {
    kind: 'counter',
    name: 'jano.tokens',
    unit: '{token}',
    description: 'Tokens that backends reported; input includes cached',
    labels: ['model', 'type'],
  },
  unmetered: {
    kind: 'counter',
    name: 'jano.unmetered',
    unit: '{request}',
    description: 'Answers whose tokens are not known, by the reason',
    labels: ['model', 'reason'],
  },
  swaps: {
    kind: 'counter',
    name: 'jano.swaps',
    unit: '{swap}',
    description: 'Runs of the swap script, by what made room and what was loaded',
    labels: ['from', 'to', 'outcome'],
  },
  swapsArrivalOrder: {
    kind: 'counter',
    name: 'jano.swaps.arrival_order',
    unit: '{swap}',
    description: 'Swaps that serving in arrival order would have cost',
    labels: [],
  },
  callerRequests: {
    kind: 'counter',
    name: 'jano.caller.requests',
    unit: '{request}',
    description: 'Requests that are over, of the first 20 callers and of all others',
    labels: ['caller'],
  },
  callerTokens: {
    kind: 'counter',
    name: 'jano.caller.tokens',
    unit: '{token}',
    description: 'Tokens for the first 20 callers and for all others',
    labels: ['caller', 'type'],
  },
  queueDepth: {
    kind: 'gauge',
    name: 'jano.queue.depth',
    unit: '{request}',
    description: 'Requests that wait',
    labels: ['model'],
  },
  inFlight: {
    kind: 'gauge',
    name: 'jano.requests.in_flight',
    unit: '{request}',
    description: 'Requests that a backend is answering',
    labels: ['model'],
  },
  oldestWait: {
    kind: 'gauge',
    name: 'jano.queue.oldest.age',
    unit: 's',
    description: 'How long the oldest of the waiting requests has waited; 0 when none does',
    labels: [],
  },
  modelLoaded: {
    kind: 'gauge',
    name: 'jano.model.loaded',
    unit: '',
    description: '1 while the model is in memory',
    labels: ['model'],
  },
  backendUp: {
    kind: 'gauge',
    name: 'jano.backend.up',
    unit: '',
    description: 'Whether the backend was healthy when last asked; NaN while that is unknown',
    labels: ['model'],
  },
  generationRate: {
    kind: 'gauge',
    name: 'jano.generation.rate',
    unit: '{token}/s',
    description: 'Mean generation speed of the newest 30 answers that reported one, else NaN',
    labels: ['model'],
  },
  promptRate: {
    kind: 'gauge',
    name: 'jano.prompt.rate',
    unit: '{token}/s',
    description:
      'Mean prompt processing speed of the newest 30 answers that reported one, else NaN',
    labels: ['model'],
  },
  uptime: {
    kind: 'gauge',
    name: 'jano.uptime',
    unit: 's',
    description: 'Since Jano started',
    labels: [],
  },
  eventLoopLag: {
    kind: 'gauge',
    name: 'nodejs.eventloop.lag',
    unit: 's',
    description: 'How late the event loop came to its timers, 99th percentile since last asked',
    labels: [],
  },
  residentMemory: {
    kind: 'gauge',
    name: 'process.resident_memory',
    unit: 'By',
    description: 'Memory of this process, without the backends',
    labels: [],
  },
  swapDuration: {
    kind: 'histogram',
    name: 'jano.swap.duration',
    unit: 's',
    description: 'A swap: script and readiness',
    labels: ['model', 'outcome'],
  },
  queueWait: {
    kind: 'histogram',
    name: 'jano.queue.wait.duration',
    unit: 's',
    description: 'From the arrival of a request until it was sent to its backend',
    labels: ['model'],
  },
  swapWait: {
    kind: 'histogram',
    name: 'jano.swap.wait.duration',
    unit: 's',
    description: 'Of the wait in the queue, while the own model was being loaded',
    labels: ['model'],
  },
  requestDuration: {
    kind: 'histogram',
    name: 'gen_ai.server.request.duration',
    unit: 's',
    description:
      'From the arrival of a request to the last byte of its answer; all that were sent to a backend',
    labels: ['gen_ai.request.model', 'gen_ai.operation.name'],
  },
  firstToken: {
    kind: 'histogram',
    name: 'gen_ai.server.time_to_first_token',
    unit: 's',
    description: 'From sending a request to its backend to the first generated text',
    labels: ['gen_ai.request.model', 'gen_ai.operation.name'],
  },
  perToken: {
    kind: 'histogram',
    name: 'gen_ai.server.time_per_output_token',
    unit: 's',
    description: 'Of answers whose speed of generation is known',
    labels: ['gen_ai.request.model', 'gen_ai.operation.name'],
  },
  overhead: {
    kind: 'histogram',
    name: 'jano.router.overhead',
    unit: 's',
    description: 'What the router itself added to a request',
    labels: [],
  },
} as const satisfies Record<string, Metric>;

/** Its name in /metrics and in queries; a histogram's series have `_bucket`, `_sum` or `_count` behind it. */
export function prometheusName({ kind, name, unit }: Metric): string {
  const plain = `${withUnit(name, unit)}${kind === 'counter' ? '_total' : ''}`;
  return plain.replaceAll('.', '_');
}

/** The name with what its unit adds to it. */
export function withUnit(name: string, unit: string): string {
  return `${name}${SUFFIXES.get(unit) ?? ''}`;
}
