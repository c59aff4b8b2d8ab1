import { homeModels } from './home.ts';
import { Random } from './random.ts';
import type { Trace, TraceRequest } from './trace.ts';

/** A caller that asks again after each reply, with a conversation that grows. */
export interface Loop {
  readonly caller: string;
  readonly model: string;
  readonly turns: number;
  /** How long it takes to ask again: a tool at work, or a person who thinks. */
  readonly think: { readonly shortestMs: number; readonly longestMs: number };
  /** What must have been answered before its first request, and the delay after that. */
  readonly after: readonly number[];
  readonly delayMs: number;
}

type Crew = readonly (readonly [model: string, callers: number])[];

/** Longer ones are people: replies to them end in no tool call. */
const LONGEST_TOOL_MS = 9000;

/** Adds a loop's requests and gives the id of the last one. */
export function addLoop(requests: TraceRequest[], random: Random, loop: Loop): number {
  const { caller, model, turns, think } = loop;
  let contextTokens = 2000;
  for (let turn = 0; turn < turns; turn += 1) {
    const inputTokens = Math.round(random.logarithmic(100, 1500));
    const outputTokens = Math.round(random.logarithmic(40, 400));
    const delayMs =
      turn === 0 ? loop.delayMs : Math.round(random.logarithmic(think.shortestMs, think.longestMs));
    const last = requests.length;
    const after = turn === 0 ? loop.after : [last];
    const endsInToolCall = think.longestMs <= LONGEST_TOOL_MS && turn < turns - 1;
    requests.push({
      id: last + 1,
      caller,
      model,
      inputTokens,
      contextTokens,
      outputTokens,
      after,
      delayMs,
      endsInToolCall,
    });
    contextTokens += inputTokens + outputTokens;
  }
  return requests.length;
}

/** Agents in closed loops: so many on each model, so many turns each. */
export function agents(
  seed: number,
  crew: Crew,
  turns: number,
  of: { parallel?: number; think?: Loop['think'] } = {},
): Trace {
  const random = new Random(seed);
  const requests: TraceRequest[] = [];
  const think = of.think ?? { shortestMs: 200, longestMs: 5000 };
  let caller = 0;
  for (const [model, callers] of crew) {
    for (let index = 0; index < callers; index += 1) {
      const delayMs = Math.round(random.between(0, 4000));
      const name = `a${caller++}`;
      addLoop(requests, random, { caller: name, model, turns, think, after: [], delayMs });
    }
  }
  const models = homeModels(of.parallel).filter((one) => crew.some(([m]) => m === one.model));
  return { models, memoryBudget: 1, resident: ['chat'], requests };
}

/** People in long chats: like agents, but they think for 10 to 60 s. */
export function people(seed: number, crew: Crew, turns: number): Trace {
  return agents(seed, crew, turns, { think: { shortestMs: 10_000, longestMs: 60_000 } });
}

/** An agent plans on one model, sends out two explorers and a coder on others, looks after them, and plans anew. */
export function subagents(seed: number, rounds: number): Trace {
  const random = new Random(seed);
  const requests: TraceRequest[] = [];
  let joined: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const add = (
      caller: string,
      model: string,
      turns: number,
      thinkMs: readonly [number, number],
      after: readonly number[],
      delayMs: number,
    ): number => {
      const think = { shortestMs: thinkMs[0], longestMs: thinkMs[1] };
      return addLoop(requests, random, { caller, model, turns, think, after, delayMs });
    };
    const plan = add('orchestrator', 'chat', 3, [200, 2000], joined, round === 0 ? 0 : 500);
    joined = [
      add('explorer0', 'fast', 6, [200, 3000], [plan], 100),
      add('explorer1', 'fast', 6, [200, 3000], [plan], 150),
      add('coder', 'code', 6, [300, 6000], [plan], 150),
      add('orchestrator', 'chat', 2, [4000, 9000], [plan], 1000),
    ];
  }
  return { models: withoutBig(), memoryBudget: 1, resident: ['chat'], requests };
}

/** One person with aider: an architect, at once an editor on another model, a commit message on a third; then a thought. */
export function aider(seed: number, rounds: number): Trace {
  const random = new Random(seed);
  const requests: TraceRequest[] = [];
  const add = (
    model: string,
    tokens: Pick<TraceRequest, 'inputTokens' | 'contextTokens' | 'outputTokens'>,
    delayMs: number,
  ): void => {
    const id = requests.length + 1;
    const after = id === 1 ? [] : [id - 1];
    const endsInToolCall = false;
    requests.push({ id, caller: 'aider', model, ...tokens, after, delayMs, endsInToolCall });
  };
  const some = (
    input: readonly [number, number],
    output: readonly [number, number],
    contextTokens: number,
  ): Pick<TraceRequest, 'inputTokens' | 'contextTokens' | 'outputTokens'> => ({
    inputTokens: random.integer(...input),
    contextTokens,
    outputTokens: random.integer(...output),
  });
  for (let round = 0; round < rounds; round += 1) {
    const plan = some([200, 800], [200, 700], 3000 + round * 1000);
    const thinkMs = round === 0 ? random.between(0, 20_000) : random.logarithmic(15_000, 90_000);
    add('chat', plan, Math.round(thinkMs));
    add('code', some([1500, 4000], [200, 600], 0), 80);
    add('fast', some([300, 900], [15, 40], 0), 300);
  }
  return { models: withoutBig(), memoryBudget: 1, resident: ['chat'], requests };
}

/** Chats, agents and bursts of a script over three models, for as many minutes. */
export function workingDay(seed: number, minutes: number): Trace {
  const random = new Random(seed);
  const requests: TraceRequest[] = [];
  const eachAt = (meanGapMs: number, begin: (at: number) => void): void => {
    for (let at = 0; at < minutes * 60_000;) {
      at += random.exponential(meanGapMs);
      begin(at);
    }
  };
  const begin = (caller: string, model: string, turns: number, at: number, think: Loop['think']) =>
    addLoop(requests, random, { caller, model, turns, think, after: [], delayMs: Math.round(at) });
  eachAt(70_000, (at) => {
    const [person, turns] = [random.integer(0, 5), random.integer(1, 5)];
    begin(`person${person}`, 'chat', turns, at, { shortestMs: 8000, longestMs: 60_000 });
  });
  eachAt(240_000, (at) => {
    const [agent, turns] = [random.integer(0, 2), random.integer(5, 25)];
    begin(`agent${agent}`, 'code', turns, at, { shortestMs: 200, longestMs: 5000 });
  });
  eachAt(400_000, (at) => addScript(requests, random, at));
  return { models: withoutBig(), memoryBudget: 1, resident: ['chat'], requests };
}

function addScript(requests: TraceRequest[], random: Random, at: number): void {
  const length = random.integer(4, 14);
  for (let index = 0; index < length; index += 1) {
    const model = random.pick(['fast', 'chat', 'code'], [3, 2, 1]);
    const inputTokens = Math.round(random.logarithmic(100, 3000));
    const outputTokens = Math.round(random.logarithmic(20, 300));
    const delayMs = Math.round(at + random.between(0, 1500));
    requests.push({
      id: requests.length + 1,
      caller: 'script',
      model,
      inputTokens,
      outputTokens,
      delayMs,
      contextTokens: 0,
      after: [],
      endsInToolCall: false,
    });
  }
}

function withoutBig(): Trace['models'] {
  return homeModels().filter(({ model }) => model !== 'big');
}
