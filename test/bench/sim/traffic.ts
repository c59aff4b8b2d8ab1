import { homeModels } from './home.ts';
import { addLoop } from './loops.ts';
import { Random } from './random.ts';
import { type SimModel, type Trace, type TraceRequest } from './trace.ts';

/** Six requests within 1.5 s for two models, one of them resident. */
export function readmeBurst(resident: string, parallel?: number): Trace {
  const models = ['chat', 'code', 'chat', 'chat', 'code', 'code'];
  const requests = models.map((model, index) =>
    request({
      id: index + 1,
      caller: `c${index}`,
      model,
      delayMs: index * 300,
      inputTokens: 400,
      outputTokens: 200,
    }),
  );
  return { models: homeModels(parallel), memoryBudget: 1, resident: [resident], requests };
}

/** Requests for the first few models, all within `spreadMs`. */
export function burst(
  seed: number,
  of: { requests: number; models: number; spreadMs: number; parallel?: number },
): Trace {
  const random = new Random(seed);
  const models = homeModels(of.parallel).slice(0, of.models);
  const requests = Array.from({ length: of.requests }, (_, index) => {
    const { model } = random.pick(models);
    const tokens = someTokens(random);
    const delayMs = Math.round(random.between(0, of.spreadMs));
    return request({ id: index + 1, caller: `c${index % 6}`, model, ...tokens, delayMs });
  });
  return { models, memoryBudget: 1, resident: ['chat'], requests };
}

/** Independent requests at random times; `load` is their work as a share of what one stream can do, swaps aside. */
export function openTraffic(seed: number, load: number, minutes: number): Trace {
  const random = new Random(seed);
  const models = homeModels().slice(0, 3);
  const weights = [5, 3, 1];
  const meanServiceMs =
    models.reduce((sum, model, index) => sum + (weights[index] ?? 0) * usualServiceMs(model), 0) /
    weights.reduce((sum, weight) => sum + weight, 0);
  const requests: TraceRequest[] = [];
  let at = 0;
  while (at < minutes * 60_000) {
    at += random.exponential(meanServiceMs / load);
    const { model } = random.pick(models, weights);
    const caller = `u${random.integer(0, 7)}`;
    const [id, delayMs] = [requests.length + 1, Math.round(at)];
    requests.push(request({ id, caller, model, ...someTokens(random), delayMs }));
  }
  return { models, memoryBudget: 1, resident: ['chat'], requests };
}

/** Callers keep one model busy without a gap; every now and then somebody needs another. */
export function flood(
  seed: number,
  of: { callers: number; minutes: number; rareEveryMs: number },
): Trace {
  const random = new Random(seed);
  const requests: TraceRequest[] = [];
  const usualTurnMs = 6000;
  for (let index = 0; index < of.callers; index += 1) {
    const turns = Math.round((of.minutes * 60_000) / usualTurnMs);
    const think = { shortestMs: 20, longestMs: 60 };
    addLoop(requests, random, {
      caller: `flood${index}`,
      model: 'chat',
      turns,
      think,
      after: [],
      delayMs: index * 500,
    });
  }
  for (let delayMs = 10_000; delayMs < of.minutes * 60_000; delayMs += of.rareEveryMs) {
    const tokens = { inputTokens: 500, outputTokens: 150 };
    const id = requests.length + 1;
    requests.push(request({ id, caller: 'rare', model: 'code', ...tokens, delayMs }));
  }
  return { models: homeModels().slice(0, 2), memoryBudget: 1, resident: ['chat'], requests };
}

/** One caller sends many requests at once, three people chat with the same model. */
export function dump(seed: number, dumped: number): Trace {
  const random = new Random(seed);
  const requests = Array.from({ length: dumped }, (_, index) => {
    const inputTokens = Math.round(random.logarithmic(200, 2000));
    const outputTokens = Math.round(random.logarithmic(50, 500));
    const tokens = { inputTokens, outputTokens };
    return request({
      id: index + 1,
      caller: 'dump',
      model: 'chat',
      ...tokens,
      delayMs: 1000 + index,
    });
  });
  for (let index = 0; index < 3; index += 1) {
    const think = { shortestMs: 5000, longestMs: 20_000 };
    addLoop(requests, random, {
      caller: `user${index}`,
      model: 'chat',
      turns: 8,
      think,
      after: [],
      delayMs: 3000 + index * 4000,
    });
  }
  return { models: homeModels().slice(0, 2), memoryBudget: 1, resident: ['chat'], requests };
}

/** A request that depends on none, with a plain reply. */
function request(
  of: Pick<TraceRequest, 'id' | 'caller' | 'model' | 'inputTokens' | 'outputTokens' | 'delayMs'>,
): TraceRequest {
  return { ...of, contextTokens: 0, after: [], endsInToolCall: false };
}

function someTokens(random: Random): { inputTokens: number; outputTokens: number } {
  const inputTokens = Math.round(random.logarithmic(100, 4000));
  return { inputTokens, outputTokens: Math.round(random.logarithmic(20, 600)) };
}

/** By the means of `someTokens`. */
function usualServiceMs(model: SimModel): number {
  return 1000 * (1056 / model.inputTokensPerSecond + 170 / model.outputTokensPerSecond);
}
