import { z } from 'zod';
import { defaultPolicy } from '../core/policy/settings.ts';
import {
  backendUrl,
  callerKey,
  filePath,
  headerName,
  headerValue,
  healthCheck,
  listenAddress,
  modelName,
  oneOf,
  section,
  text,
} from './fields.ts';
import { duration, durationOrOff, positiveDuration, size } from './units.ts';

const webUrl = text.regex(/^https?:\/\//, { error: 'must begin with http:// or https://' });
const share = z.number().gt(0).lt(1);
const count = z.int().min(0);
const positiveCount = z.int().min(1);

/** One entry of `models`. */
export const modelSchema = section({
  name: modelName.describe('What callers send as `model`.'),
  url: backendUrl.describe('Base URL of the server. Several models may share one.'),
  aliases: z.array(modelName).prefault([]).describe('Other names callers may use.'),
  label: text.nullable().prefault(null).describe('What people call it.'),
  parallel: oneOf([positiveCount, z.literal('auto')], 'a whole number from 1, or auto')
    .prefault('auto')
    .describe('Requests at once; auto: asked of the server, else 4.'),
  memory: z
    .number()
    .min(0)
    .prefault(1)
    .describe('Memory while resident, in the unit of memory.budget.'),
  pinned: z
    .boolean()
    .prefault(false)
    .describe('Always resident, never swapped, takes nothing of the budget.'),
  health: healthCheck
    .prefault('/health')
    .describe('Path that answers 2xx when the model can serve; with `contains`: and holds that.'),
  ttl: duration
    .prefault('0s')
    .describe('Unload after this long without work; 0 = never. Needs a script with `unload`.'),
  headers: z
    .record(headerName, headerValue)
    .prefault({})
    .describe('Headers added to requests for this server.'),
  endpoints: z
    .array(text)
    .prefault([])
    .describe('Routes it serves, without /v1, such as audio/transcriptions; empty = any.'),
});

/** The whole file. What it says of one value alone is checked here; what values say of each other in checks.ts. */
export const configSchema = section({
  $schema: z.string().optional().describe('Of this file, for editors.'),
  listen: listenAddress
    .prefault('127.0.0.1:8082')
    .describe('host:port. JANO_HOST and JANO_PORT override it.'),
  allowedHosts: z
    .array(text)
    .prefault([])
    .describe('Host names to answer to, beyond loopback, addresses and the own name.'),
  auth: section({
    keys: z.record(text, callerKey).prefault({}).describe('Name to key; none = open to all.'),
    open: z.array(text).prefault(['health']).describe('Routes that need no key.'),
  }).prefault({}),
  swap: section({
    command: oneOf([text, z.array(z.string()).min(1)], 'a command, or a list of its words')
      .nullable()
      .prefault(null)
      .describe('Program that makes a model resident; called with the name of the model.'),
    timeout: positiveDuration.prefault('180s').describe('Script and readiness together.'),
    poll: positiveDuration.prefault('250ms').describe('Pause between two looks at `health`.'),
  }).prefault({}),
  models: z.array(modelSchema).min(1).describe('The model servers.'),
  memory: section({
    budget: z.number().gt(0).prefault(1).describe('What all resident models may take together.'),
  }).prefault({}),
  default: text.nullable().prefault(null).describe('Model for requests that name none.'),
  preload: text.nullable().prefault(null).describe('Model to load at start.'),
  policy: section({
    swapShare: share
      .prefault(defaultPolicy.swapShare)
      .describe('At most this share of the time goes into swapping.'),
    minTurn: duration.prefault(`${defaultPolicy.minTurnMs}ms`).describe('Shortest turn.'),
    maxTurn: positiveDuration.prefault(`${defaultPolicy.maxTurnMs}ms`).describe('Longest turn.'),
    linger: z
      .number()
      .min(0)
      .prefault(defaultPolicy.linger)
      .describe('An idle model is kept for a returning caller at most this many swap times.'),
  }).prefault({}),
  queue: section({
    maxWaiting: positiveCount.prefault(1000).describe('Most requests that wait.'),
    maxWaitingBytes: size.prefault('1GiB').describe('Most bytes of their bodies; 0 = no limit.'),
    timeout: duration.prefault('0s').describe('Longest wait; 0 = no limit.'),
    keepAlive: durationOrOff
      .prefault('off')
      .describe('Interval of comments sent to streams that wait.'),
  }).prefault({}),
  limits: section({
    body: size.prefault('256MiB').describe('Largest request body; 0 = no limit.'),
    request: duration
      .prefault('0s')
      .describe('Longest time to the first byte of an answer and between two; 0 = no limit.'),
    idleSocket: duration
      .prefault('60s')
      .describe('A silent websocket or stream is closed after this once its memory is needed.'),
  }).prefault({}),
  usage: section({
    records: positiveCount.prefault(500).describe('Finished requests kept in memory.'),
    path: filePath.nullable().prefault(null).describe('File that keeps them beyond a restart.'),
    retention: section({
      days: count.prefault(90).describe('0 = no limit.'),
      rows: count.prefault(1_000_000).describe('0 = no limit.'),
    }).prefault({}),
  }).prefault({}),
  callers: section({
    header: headerName.prefault('X-Caller').describe('Header in which callers name themselves.'),
  }).prefault({}),
  health: section({
    stuckAfter: positiveDuration
      .nullable()
      .prefault(null)
      .describe('GET /health says stuck after this long; null: policy.maxTurn + swap.timeout.'),
  }).prefault({}),
  traces: section({
    url: webUrl.nullable().prefault(null).describe('Where people look at traces.'),
  }).prefault({}),
  watch: z.boolean().prefault(false).describe('Reload when the file changes.'),
});

/** A config file as the schema gives it: complete, in milliseconds and bytes. */
export type Settings = z.output<typeof configSchema>;

/** One of its models. */
export type ModelSettings = z.output<typeof modelSchema>;
