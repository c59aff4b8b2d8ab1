import { setTimeout as delay } from 'node:timers/promises';

/** How long the load rests, in milliseconds. */
export interface Rests {
  /** As an agent does while its tool runs. */
  readonly betweenSteps: number;
  readonly betweenRounds: number;
  /** Until it asks again whether there is a Jano. */
  readonly untilRetry: number;
}

/** What one caller wants of a round: `steps` answers, one after the other. */
interface Errand {
  readonly caller: string;
  readonly model: string;
  readonly steps: number;
  readonly stream: boolean;
}

const RESTS: Rests = { betweenSteps: 2000, betweenRounds: 20_000, untilRetry: 3000 };

/** Real models might talk for long. */
const MOST_TOKENS = 100;

/** A swap of a large model and an answer behind it. */
const PATIENCE_MS = 300_000;

/**
 * Asks the models of the Jano at `url` a few times a minute, as three callers do, until the signal is aborted. Each
 * round the callers move on to the next model, so that every model gets its turn. Prints a line for each round, and
 * waits for a Jano that is away.
 */
export async function playSteadily(
  url: string,
  print: (text: string) => void,
  signal: AbortSignal,
  rests: Rests = RESTS,
): Promise<void> {
  for (let round = 1; !signal.aborted;) {
    try {
      const errands = planRound(round, await listModels(url, signal));
      const told = await playRound(url, errands, signal, rests);
      if (signal.aborted) return;
      print(`round ${round}: ${told}\n`);
      round += 1;
      await rest(rests.betweenRounds, signal);
    } catch (error) {
      if (signal.aborted) return;
      print(`no Jano answers at ${url}: ${tellReason(error)}\n`);
      await rest(rests.untilRetry, signal);
    }
  }
}

/** An agent, an editor and a person, each with a model of their own where there are as many. */
function planRound(round: number, models: readonly string[]): readonly Errand[] {
  const modelOf = (seat: number): string => models[(round + seat) % models.length] ?? '';
  return [
    { caller: 'agent', model: modelOf(0), steps: 3, stream: true },
    { caller: 'editor', model: modelOf(1), steps: 1, stream: false },
    { caller: 'person', model: modelOf(2), steps: 1, stream: true },
  ];
}

async function playRound(
  url: string,
  errands: readonly Errand[],
  signal: AbortSignal,
  rests: Rests,
): Promise<string> {
  const beganAt = performance.now();
  const outcomes = await Promise.all(
    errands.map((errand) => runErrand(url, errand, signal, rests.betweenSteps)),
  );
  const failures = outcomes.flat().filter((outcome) => outcome !== null);
  const answered = outcomes.flat().length - failures.length;
  const seconds = ((performance.now() - beganAt) / 1000).toFixed(1);
  const wishes = errands.map(({ caller, model, steps }) => `${caller} ${steps} × ${model}`);
  const missed = failures.length === 0 ? '' : `, ${failures.length} not (${listOnce(failures)})`;
  return `${wishes.join(', ')}: ${answered} answered${missed} in ${seconds} s`;
}

/** Why each of its requests got no answer; null for one that did. */
async function runErrand(
  url: string,
  { caller, model, steps, stream }: Errand,
  signal: AbortSignal,
  restMs: number,
): Promise<readonly (string | null)[]> {
  const outcomes: (string | null)[] = [];
  for (let step = 0; step < steps; step++) {
    if (step > 0) await rest(restMs, signal);
    outcomes.push(await ask(url, caller, model, stream, signal));
  }
  return outcomes;
}

async function ask(
  url: string,
  caller: string,
  model: string,
  stream: boolean,
  signal: AbortSignal,
): Promise<string | null> {
  const messages = [{ role: 'user', content: 'Who are you?' }];
  try {
    const response = await fetch(new URL('/v1/chat/completions', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-caller': caller },
      body: JSON.stringify({ model, stream, max_tokens: MOST_TOKENS, messages }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    });
    await response.arrayBuffer();
    return response.ok ? null : String(response.status);
  } catch (error) {
    return tellReason(error);
  }
}

async function listModels(url: string, signal: AbortSignal): Promise<readonly string[]> {
  const response = await fetch(new URL('/v1/models', url), {
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
  });
  // Read before anything is thrown, so that the connection is free again.
  const text = await response.text();
  if (response.status === 401)
    throw new Error('it wants a key (auth.keys), and this load has none');
  if (!response.ok) throw new Error(`status ${response.status}`);
  const list = parseOrNull(text);
  if (!isModelList(list)) throw new Error('something else does');
  if (list.data.length === 0) throw new Error('it lists no models');
  return list.data.map(({ id }) => id);
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

interface ModelList {
  readonly data: readonly { readonly id: string }[];
}

/** Whoever answers there may be no Jano at all. */
function isModelList(value: unknown): value is ModelList {
  return (
    typeof value === 'object' && value !== null && 'data' in value && Array.isArray(value.data)
  );
}

/** A rest that ends early with the signal. */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}

/** The system's word for it, such as ECONNREFUSED, which fetch hides in the cause. */
function tellReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause ? String(cause.code) : cause.message;
}

function listOnce(texts: readonly string[]): string {
  return [...new Set(texts)].join(', ');
}
