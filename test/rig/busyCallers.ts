import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../bench/sim/random.ts';
import { moods } from '../proofs/moods.ts';
import type { MachineRig } from '../machine/machineRig.ts';

/** Where callers are: what they may ask, and how long they take. */
export interface Desk extends MachineRig {
  /** All of them may be swapped. */
  readonly models: readonly string[];
  /** What embeds. */
  readonly embedder: string;
  readonly random: Random;
  /** Their pauses are those of life, divided by this. */
  readonly speed: number;
}

/** Callers that ask until they are stopped. */
export interface Callers {
  /** Resolves when all have gone; what they were waiting for is abandoned. */
  readonly stop: () => Promise<void>;
}

/** A caller at its desk. */
interface Caller extends Desk {
  readonly name: string;
  /** Asks and takes the whole answer, if it is not to leave before. */
  readonly ask: (request: Request) => Promise<void>;
  readonly pause: (fromMs: number, toMs: number) => Promise<void>;
}

interface Request {
  readonly model: string;
  readonly path?: string;
  readonly body?: object;
  readonly mood?: string;
  /** It leaves after so long. */
  readonly patienceMs?: number;
}

/** One round of what a caller does all day. */
type Habit = (caller: Caller) => Promise<void>;

/** What goes wrong, and what tells no tokens. */
const ODD_MOODS = 'nothingTold notJson halfJson badRequest broken errorInside cut ollama'.split(
  ' ',
);

const HABITS: readonly (readonly [string, Habit])[] = [
  ['opencode', runAgent],
  ['aider', runAgent],
  ['open-webui', chat],
  ['anna', chat],
  ['ben', chat],
  ['nightly-report', sendBurst],
  ['rag-indexer', index],
  ['home-assistant', blunder],
  ['oom-killer', kill],
];

/** Each goes on, round after round, whatever the answers are. */
export function startCallers(desk: Desk): Callers {
  const stopping = new AbortController();
  const days = HABITS.map(([name, habit]) =>
    spendDay(makeCaller(desk, name, stopping.signal), habit, stopping.signal),
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all(days);
    },
  };
}

async function spendDay(caller: Caller, habit: Habit, stopping: AbortSignal): Promise<void> {
  try {
    while (!stopping.aborted) await habit(caller);
  } catch (error) {
    if (!stopping.aborted) throw error;
  }
}

function makeCaller(desk: Desk, name: string, stopping: AbortSignal): Caller {
  const { jano, random, speed } = desk;
  return {
    ...desk,
    name,
    pause: (fromMs, toMs) =>
      delay(random.between(fromMs, toMs) / speed, undefined, { signal: stopping }),
    async ask({ model, path = '/v1/chat/completions', body, mood, patienceMs }) {
      const patience =
        patienceMs === undefined ? [] : [AbortSignal.timeout(Math.ceil(patienceMs / speed))];
      try {
        const response = await fetch(jano.url + path, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            'X-Caller': name,
            ...(mood === undefined ? {} : { 'X-Mood': mood }),
          },
          body: JSON.stringify({ model, ...body }),
          signal: AbortSignal.any([stopping, ...patience]),
        });
        await response.text();
      } catch {
        // It was cut, or the caller has left: both belong to the day.
      }
    },
  };
}

/** A conversation in which each answer is followed by the next question at once. */
async function runAgent({ ask, pause, random, models }: Caller): Promise<void> {
  const model = random.pick(models);
  const turns = random.integer(3, 8);
  for (let turn = 1; turn <= turns; turn += 1) {
    await ask({ model, body: { stream: true, messages: conversation(turn), tools: [] } });
    await pause(200, 900);
  }
  await pause(4000, 15_000);
}

/** A person who reads what was answered. */
async function chat({ ask, pause, random, models }: Caller): Promise<void> {
  const model = random.pick(models);
  const turns = random.integer(1, 4);
  for (let turn = 1; turn <= turns; turn += 1) {
    await ask({ model, body: { stream: random.chance(0.8), messages: conversation(turn) } });
    await pause(3000, 9000);
  }
}

/** Many questions at once, for one model after the other: in that order each would be a swap. */
async function sendBurst({ ask, pause, random, models }: Caller): Promise<void> {
  await pause(20_000, 40_000);
  const chosen = [random.pick(models), random.pick(models), random.pick(models)];
  const requests = Array.from({ length: 4 }, () => chosen).flat();
  await Promise.all(requests.map((model) => ask({ model, body: { messages: conversation(2) } })));
}

async function index({ ask, pause, embedder }: Caller): Promise<void> {
  await ask({ model: embedder, path: '/v1/embeddings', body: { input: 'words' } });
  await pause(500, 2500);
}

/** All that is not as it should be, one after the other, mostly of models that are in memory: it need not wait there. */
async function blunder({ ask, pause, random, models, machine }: Caller): Promise<void> {
  const message = { stream: true, messages: conversation(1) };
  const present = (): string => random.pick([...machine.residents(), ...models.slice(-1)]);
  for (const mood of ODD_MOODS) {
    await ask({ model: present(), mood, path: moods[mood]?.path ?? '' });
    await pause(5000, 15_000);
  }
  await ask({ model: 'gpt-9', body: message });
  await ask({ model: random.pick(models), body: message, patienceMs: 400 });
}

/** The server of a model that is in memory is killed. */
async function kill({ pause, random, machine, models }: Caller): Promise<void> {
  await pause(80_000, 160_000);
  const residents = machine.residents().filter((model) => models.includes(model));
  if (residents.length > 0) machine.kill(random.pick(residents));
}

function conversation(turns: number): object[] {
  return Array.from({ length: turns }, () => ({ role: 'user', content: 'And then?' }));
}
