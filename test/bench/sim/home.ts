import type { SimModel } from './trace.ts';

/** The machine at home: a model to chat, one to code, a big one and a small fast one; one fits at a time. */
export function homeModels(parallel = 4): SimModel[] {
  return [
    homeModel('chat', { loadMs: 12_000, output: 60, input: 900, parallel }),
    homeModel('code', { loadMs: 25_000, output: 35, input: 500, parallel }),
    homeModel('big', { loadMs: 60_000, output: 12, input: 150, parallel }),
    homeModel('fast', { loadMs: 5000, output: 120, input: 3000, parallel }),
  ];
}

function homeModel(
  model: string,
  of: { loadMs: number; output: number; input: number; parallel: number },
): SimModel {
  return {
    model,
    loadMs: of.loadMs,
    memory: 1,
    parallel: of.parallel,
    inputTokensPerSecond: of.input,
    outputTokensPerSecond: of.output,
    sharing: 0.6,
  };
}
